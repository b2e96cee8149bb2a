/// A statement with its arguments.
package struct SQLCall: Hashable, Sendable {
    package let statement: SQLStatement
    package let arguments: [SQLValue]

    package init(_ statement: SQLStatement, _ arguments: [SQLValue] = []) {
        self.statement = statement
        self.arguments = arguments
    }
}

/// What a statement gave.
package struct SQLAnswer: Hashable, Sendable {
    package let rows: [SQLRow]
    /// How many rows it wrote.
    package let changes: Int
}
