import OAuth2

/// One SQL statement with parameters `$1…$n`, the spelling that SQLite and PostgreSQL share.
///
/// SQLite takes `$1` for a name, and numbers parameters in the order in which they first appear in the text. The order
/// is worked out once here, so that arguments can always be given in the order of their numbers.
package struct SQLStatement: Sendable, ExpressibleByStringLiteral {
    package let text: String
    /// For each parameter in order of first appearance, the index of its argument.
    package let argumentOrder: [Int]
    /// Whether the arguments can be handed over as they come.
    package let isInOrder: Bool
    /// Whether the statement is run again and again, so that it pays to keep it prepared.
    package let isRecurring: Bool
    /// Whether the statement only reads.
    package let isQuery: Bool

    package init(_ text: String, isRecurring: Bool = true) {
        self.text = text
        self.isRecurring = isRecurring
        isQuery = text.hasPrefix("SELECT")
        argumentOrder = Self.order(in: text)
        isInOrder = argumentOrder == Array(argumentOrder.indices)
    }

    package init(stringLiteral text: String) { self.init(text) }

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
    package static func == (one: SQLStatement, other: SQLStatement) -> Bool { one.text == other.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
