package import Bridge

/// A value that both engines keep alike: text, a 64-bit integer, or nothing.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)

    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
    package init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }
    package init(_ identifier: (some Identifier)?) { self.init(identifier?.rawValue) }
    /// Epoch milliseconds.
    package init(_ instant: Timestamp?) { self.init(instant?.milliseconds) }
}
