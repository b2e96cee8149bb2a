/// One connection, for as long as a closure has it.
package protocol SQLSession {
    /// Runs a statement to its end.
    /// - Parameter arguments: the value of `$1`, of `$2`, and so on.
    /// - Returns: the rows of a query or of `RETURNING`.
    /// - Throws: ``SQLFailure``.
    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow]

    /// Runs a statement that writes and returns nothing but how many rows it wrote.
    ///
    /// For the busy paths: SQLite builds a temporary table for every `RETURNING`, which costs more than the write.
    /// - Throws: ``SQLFailure``.
    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int

    /// Whether a transaction is open; some failures close it.
    var isInTransaction: Bool { get }
}

extension SQLSession {
    package func run(_ statement: SQLStatement) throws -> [SQLRow] { try run(statement, []) }
}
