package import Bridge

/// A value that both engines keep alike: text, a 64-bit integer, or nothing.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    /// What we never store, and only a database that somebody else has written to can hold. Strict reading refuses it.
    case foreign(SQLForeignValue)

    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
    package init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }
    package init(_ identifier: (some Identifier)?) { self.init(identifier?.rawValue) }
    /// Epoch milliseconds.
    package init(_ instant: Timestamp?) { self.init(instant?.milliseconds) }
}

/// What SQLite keeps in any column, whatever its declared type.
package enum SQLForeignValue: Hashable, Sendable {
    case real(Double)
    case blob([UInt8])
    /// Text that is not UTF-8, or that holds a zero byte.
    case bytes([UInt8])
}
