import Bridge
import OAuth2

/// One SQL statement with parameters `$1…$n`, the spelling that SQLite and PostgreSQL share.
///
/// SQLite takes `$1` for a name, and numbers parameters in the order in which they first appear in the text. The order
/// is worked out once here, so that arguments can always be given in the order of their numbers.
struct SQLStatement: Sendable, ExpressibleByStringLiteral {
    let text: String
    /// For each parameter in order of first appearance, the index of its argument.
    let argumentOrder: [Int]
    /// Whether the arguments can be handed over as they come.
    let isInOrder: Bool
    /// Whether the statement is run again and again, so that it pays to keep it prepared.
    let isRecurring: Bool
    /// Whether the statement only reads.
    let isQuery: Bool
    /// Whether the audit log is in it, so that events of its transaction must be stored by then.
    let namesLog: Bool

    init(_ text: String, isRecurring: Bool = true) {
        self.text = text
        self.isRecurring = isRecurring
        isQuery = text.hasPrefix("SELECT")
        namesLog = text.contains("audit_") || !Self.isOfRows(text)
        argumentOrder = Self.order(in: text)
        isInOrder = argumentOrder == Array(argumentOrder.indices)
    }

    init(stringLiteral text: String) { self.init(text) }

    /// Whether the statement is about rows, and not a savepoint or the like.
    private static func isOfRows(_ text: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { text.hasPrefix($0) }
    }

    /// Literals in our statements hold no dollar sign, so none needs to be skipped.
    private static func order(in text: String) -> [Int] {
        var order: [Int] = []
        var number: Int?
        func close() {
            if let number, !order.contains(number - 1) { order.append(number - 1) }
            number = nil
        }
        for byte in text.utf8 {
            if byte == UInt8(ascii: "$") {
                close()
                number = 0
            } else if let digits = number, ASCII.isDigit(byte) {
                number = digits * 10 + Int(byte - UInt8(ascii: "0"))
            } else {
                close()
            }
        }
        close()
        return order
    }
}

// Everything else follows from the text.
extension SQLStatement: Hashable {
    static func == (one: SQLStatement, other: SQLStatement) -> Bool { one.text == other.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A statement with its arguments.
struct SQLCall: Hashable, Sendable {
    let statement: SQLStatement
    let arguments: [SQLValue]

    init(_ statement: SQLStatement, _ arguments: [SQLValue] = []) {
        self.statement = statement
        self.arguments = arguments
    }
}

/// What a statement gave.
struct SQLAnswer: Hashable, Sendable {
    let rows: [SQLRow]
    /// How many rows it wrote.
    let changes: Int
}

/// A value that both engines keep alike: text, a 64-bit integer, or nothing.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    /// What we never store, and only a database that other software has written to can hold. Strict reading refuses it.
    case foreign(SQLForeignValue)

    init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
    init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }
    init(_ identifier: (some Identifier)?) { self.init(identifier?.rawValue) }
    /// Epoch milliseconds.
    init(_ instant: Timestamp?) { self.init(instant?.milliseconds) }

    /// For a `LIMIT`: how many rows at most.
    static func limit(_ count: Int) -> SQLValue { .integer(Int64(max(0, count))) }
}

/// What SQLite keeps in any column, whatever its declared type.
enum SQLForeignValue: Hashable, Sendable {
    case real(Double)
    case blob([UInt8])
    /// Text that is not UTF-8, or that holds a zero byte.
    case bytes([UInt8])
}
