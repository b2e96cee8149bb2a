import Bridge
import Foundation
import GRDB
import Synchronization

/// One SQLite file in WAL mode: a writer that flushes every commit to disk, and readers at the same time.
final class SQLiteEngine: SQLEngine {
    private let pool: DatabasePool
    private let lookups: SQLiteLookups
    private let walKeeper: WriteAheadLogKeeper?
    private let lock: NodeLock?
    private let patience = WritePatience()
    private let isClosed = Mutex(false)

    let dialect = SQLDialect.sqlite

    /// KiB of pages that the writer keeps: enough for the inner pages of every index over millions of rows.
    private static let writerCache = 16_384

    /// - Parameter lock: the name that this process writes under; without one the file must exist and is only read.
    init(path: String, lock: NodeLock?, walLimits: WriteAheadLogKeeper.Limits = .standard) throws {
        self.lock = lock
        let isReadOnly = lock == nil
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(TimeInterval(WritePatience.full) / 1000)
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 4
        configuration.readonly = isReadOnly
        pool = try DatabasePool(path: path, configuration: configuration)
        var lookup = configuration
        lookup.readonly = true
        lookups = SQLiteLookups(path: path, configuration: lookup)
        guard !isReadOnly else {
            walKeeper = nil
            return
        }
        walKeeper = try WriteAheadLogKeeper(path: path, configuration: configuration, limits: walLimits)
        // After opening: DatabasePool sets synchronous to NORMAL on the writer once its own setup is done.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA cache_size = -\(Self.writerCache)")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(WriteAheadLogKeeper.lastResort)")
            try database.execute(sql: "PRAGMA journal_size_limit = \(WriteAheadLogKeeper.keptBytes)")
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "synchronous=FULL did not take")
            }
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        do {
            // Not `read`: its BEGIN and COMMIT cost more than the one statement that most readers run.
            return try await pool.unsafeRead { database in try body(SQLiteSession(database: database)) }
        } catch let error as DatabaseError {
            throw SQLError(error)
        }
    }

    func look<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        do {
            return try lookups.run(body)
        } catch let error as DatabaseError {
            throw SQLError(error)
        }
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) {
        pool.asyncWriteWithoutTransaction { [patience] database in
            body(SQLiteSession(database: database, patience: patience))
        }
    }

    /// Runs `body` on the writer and waits for it: for opening and for tests.
    func onWriterNow<Value>(_ body: (any SQLSession) throws -> Value) throws -> Value {
        try pool.writeWithoutTransaction { database in
            try body(SQLiteSession(database: database, patience: patience))
        }
    }

    func didCommit(writes: Int, upkeep: Int) {
        walKeeper?.didCommit(writes: writes, upkeep: upkeep, on: pool)
    }

    func observeWriter(_ body: @escaping @Sendable (WriterWork, Duration) -> Void) {
        walKeeper?.watch.observe(body)
    }

    func close() throws {
        // GRDB does not guard a checkpoint on a closed connection.
        guard
            isClosed.withLock({ isClosed in
                defer { isClosed = true }; return !isClosed
            })
        else { return }
        // Whatever fails, the rest is closed and the node's name let go: closing is not repeated.
        var failure: (any Error)?
        func attempt(_ step: () throws -> Void) {
            do { try step() } catch { failure = failure ?? error }
        }
        attempt { try lookups.close() }
        if let walKeeper {
            attempt { try walKeeper.close() }
            // SQLite does this by itself when the last connection closes, but that is one of the pool's readers,
            // which cannot write. What is left in the log is read from there at the next start.
            attempt { try pool.writeWithoutTransaction { database in _ = try database.checkpoint(.passive) } }
        }
        attempt { try pool.close() }
        lock?.release()
        if let error = failure as? DatabaseError { throw SQLError(error).storageError }
        if let failure { throw failure }
    }
}

extension SQLDialect {
    static let sqlite = SQLDialect(
        text: "TEXT", clustered: " WITHOUT ROWID",
        // Registered by GRDB; SQLite's own lower() knows ASCII only.
        lowercase: { "replace(swiftLowercaseString(\($0)), 'ς', 'σ')" },
        isAmong: { "\($0) IN (SELECT value FROM json_each(\($1)))" },
        rowHold: "", isRemote: false, beforeMigration: [],
        // One process writes at a time, so a number that each such transaction counts up by one will do.
        transactionNumber: "(SELECT value + 1 FROM transaction_number)",
        lowestOpenNumber: "(SELECT value + 1 FROM transaction_number)",
        nextNumber: "(SELECT value + 1 FROM transaction_number)", databaseRun: "''",
        advanceNumber: "UPDATE transaction_number SET value = value + 1", sessionEndNews: nil,
        shortWait: nil, lease: .sqlite)
}

extension SQLError {
    /// Takes over the code and SQLite's own message; `DatabaseError`'s description could bring arguments along.
    init(_ error: DatabaseError) {
        let kind: Kind =
            switch error.resultCode {
            case .SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE: .refused
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .corrupt
            default: .unavailable
            }
        let code = "SQLite \(error.extendedResultCode)"
        let isWriteRefusal =
            switch error.resultCode {
            case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_NOLFS: true
            default: kind == .corrupt
            }
        let message = error.message ?? "no message"
        let cause: StorageError.Cause =
            if kind == .corrupt {
                .damage
            } else if let what = Self.missing(message) {
                .missing(what)
            } else {
                .engine(code: code)
            }
        self.init(
            // The code has SQLite's general words for it, which often are the whole message.
            kind: kind, text: code.hasSuffix("(\(message))") ? code : "\(code): \(message)",
            writeRefusal: isWriteRefusal ? code : nil, isReadOnly: error.resultCode == .SQLITE_READONLY,
            cause: cause)
    }

    /// The table or column that there is not. SQLite has no code for that, and its messages in one language alone.
    private static func missing(_ message: String) -> String? {
        message.prefixMatch(of: /no such (table|column): ([A-Za-z0-9_.]+)/).map { "\($0.1) \($0.2)" }
    }
}
