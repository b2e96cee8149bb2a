import GRDB
import Synchronization

/// Connections for reads of a few rows, each used by the thread that asks: a row that is found by its key takes less
/// time than waking another thread to find it.
///
/// There are as many as threads ever asked at the same time. Nothing that runs for long belongs here: it would hold up
/// every request that the thread serves.
final class SQLiteLookups: Sendable {
    private struct State {
        var idle: [DatabaseQueue] = []
        var isClosed = false
    }

    private let path: String
    private let configuration: GRDB.Configuration
    private let state = Mutex(State())

    /// - Parameter path: that of a file which another connection of this process keeps open.
    init(path: String, configuration: GRDB.Configuration) {
        self.path = path
        self.configuration = configuration
    }

    /// - Throws: what `body` throws; `DatabaseError`.
    func run<Value>(_ body: (any SQLSession) throws -> Value) throws -> Value {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.unsafeRead { database in try body(SQLiteSession(database: database)) }
    }

    private func take() throws -> DatabaseQueue {
        let idle = try state.withLock { state in
            guard !state.isClosed else { throw SQLError(kind: .unavailable, text: "the storage is closed") }
            return state.idle.popLast()
        }
        return try idle ?? DatabaseQueue(path: path, configuration: configuration)
    }

    private func giveBack(_ connection: DatabaseQueue) {
        let isWanted = state.withLock { state in
            if !state.isClosed { state.idle.append(connection) }
            return !state.isClosed
        }
        if !isWanted { try? connection.close() }
    }

    func close() throws {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { try connection.close() }
    }
}
