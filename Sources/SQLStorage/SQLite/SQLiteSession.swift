import Bridge
import GRDB

/// A connection to SQLite.
struct SQLiteSession: SQLSession {
    let database: Database
    /// How long the connection that writes waits; `nil` for one that reads.
    var patience: WritePatience?

    func begin() throws {
        do {
            try control("BEGIN IMMEDIATE")
        } catch {
            patience?.lose(on: database)
            throw error
        }
        patience?.regain(on: database)
    }

    func commit() throws { try control("COMMIT") }

    func rollback() {
        // Some failures close the transaction by themselves.
        if database.isInsideTransaction { try? control("ROLLBACK") }
    }

    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
        _ = try run(statement, arguments)
        return database.changesCount
    }

    func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer] {
        try calls.map { call in
            let rows = try run(call.statement, call.arguments)
            return SQLAnswer(rows: rows, changes: call.statement.isQuery ? 0 : database.changesCount)
        }
    }

    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
        guard arguments.count == statement.argumentOrder.count else {
            throw SQLError(kind: .refused, text: "\(arguments.count) arguments for \(statement.text)")
        }
        do {
            let prepared =
                statement.isRecurring
                ? try database.cachedStatement(sql: statement.text)
                : try database.makeStatement(sql: statement.text)
            return try SQLiteRun(statement: prepared.sqliteStatement).rows(
                statement.isInOrder ? arguments : statement.argumentOrder.map { arguments[$0] })
        } catch let error as DatabaseError {
            throw SQLError(error)
        }
    }

    /// Transactions begin and end by GRDB's own means, which keeps count of them.
    private func control(_ sql: String) throws {
        do {
            try database.cachedStatement(sql: sql).execute()
        } catch let error as DatabaseError {
            throw SQLError(error)
        }
    }
}
