import Bridge

/// A database: one connection that writes and several that read.
protocol SQLEngine: Sendable {
    var dialect: SQLDialect { get }

    /// Runs `body` on a connection that reads; each of its statements sees everything committed before.
    /// - Throws: what `body` throws, or ``SQLError``.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

    /// As ``read(_:)``, for a few rows that are found by their keys: where the database is a file, the thread that asks
    /// reads them itself.
    func look<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

    /// As ``read(_:)``, for what goes through many rows: where all nodes share a server, it leaves the other connections
    /// to those who sign in, and waits its turn.
    func browse<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

    /// Runs `body` on the connection that writes, after whatever runs there; returns at once.
    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void)

    /// Told after a commit, so that the engine can tidy up after it.
    /// - Parameters:
    ///   - writes: how many writes the commit held.
    ///   - upkeep: how many of these were upkeep, which can write more than a hundred requests do.
    func didCommit(writes: Int, upkeep: Int)

    /// Whether the connections that read can be used, as far as they are others than the one that writes.
    /// - Throws: `StorageError`, ``SQLError``: they lead to another database, or there are none.
    func checkConnections() async throws

    /// - Parameter body: told how long the engine itself held the connection that writes, each time that it did.
    func observeWriter(_ body: @escaping @Sendable (WriterWork, Duration) -> Void)

    /// Lets go of every connection. Nothing may be running.
    func close() throws
}

extension SQLEngine {
    func checkConnections() async throws {}

    func observeWriter(_ body: @escaping @Sendable (WriterWork, Duration) -> Void) {}

    func look<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await read(body)
    }

    func browse<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await read(body)
    }
}

/// One connection, for as long as a closure has it.
protocol SQLSession {
    /// Runs a statement to its end.
    /// - Parameter arguments: the value of `$1`, of `$2`, and so on.
    /// - Returns: the rows of a query or of `RETURNING`.
    /// - Throws: ``SQLError``.
    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow]

    /// Runs a statement that writes and returns nothing but how many rows it wrote.
    ///
    /// For the busy paths: SQLite builds a temporary table for every `RETURNING`, which costs more than the write.
    /// - Throws: ``SQLError``.
    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int

    /// Runs a statement whose rows are not needed, at the latest together with the next ``run(_:_:)`` or ``commit()``,
    /// which then throws what was wrong with it. Saves a round trip.
    func submit(_ statement: SQLStatement, _ arguments: [SQLValue]) throws

    /// Runs statements one after the other, in as few round trips as that takes; after one that fails
    /// none is run.
    /// - Returns: what each gave.
    /// - Throws: ``SQLError``.
    func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer]

    /// Opens a transaction that will write.
    func begin() throws

    /// - Throws: ``SQLError``; `undecided` when it is not known whether the commit was made.
    func commit() throws

    /// Undoes the open transaction, if there is one.
    func rollback()

    /// Undoes what came after the savepoint of this name and removes it.
    func rollback(to savepoint: SQLSavepoint) throws

    /// Lets go of a connection that another one is to take the place of; a file has no other.
    func disconnect()
}

/// A place in a transaction to go back to.
struct SQLSavepoint: Sendable {
    let set: SQLStatement
    let release: SQLStatement
    let rollback: SQLStatement

    /// - Parameter name: a plain word.
    init(_ name: String) {
        set = SQLStatement("SAVEPOINT \(name)")
        release = SQLStatement("RELEASE SAVEPOINT \(name)")
        rollback = SQLStatement("ROLLBACK TO SAVEPOINT \(name)")
    }
}

extension SQLSession {
    func run(_ statement: SQLStatement) throws -> [SQLRow] { try run(statement, []) }

    func submit(_ statement: SQLStatement, _ arguments: [SQLValue]) throws { _ = try run(statement, arguments) }

    func commit() throws { _ = try run("COMMIT") }

    func rollback(to savepoint: SQLSavepoint) throws {
        _ = try run(savepoint.rollback)
        _ = try run(savepoint.release)
    }

    func disconnect() {}
}
