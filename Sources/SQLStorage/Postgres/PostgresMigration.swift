import Bridge
import Logging

/// Brings a database's tables up to date while other nodes go on.
///
/// The steps hold one table after another, and so do the nodes that still run: when two wait for each other, the server
/// ends one. A transaction that stays open, such as a backup's, holds every table that it has read. Each attempt at
/// several steps may meet another one.
struct PostgresMigration: Sendable {
    let address: PostgresAddress
    let migrator: Migrator
    let patience: MigrationPatience
    let logger: Logger

    /// Held over the pauses between attempts, by a connection of its own: behind an attempt requests wait, and of several
    /// nodes that start together each would make its attempts in the pauses of the others. A transaction holds it, since
    /// behind a pooler nothing else keeps its connection, and not that of an attempt: one that has asked for a table has
    /// a number, and until it is over all nodes read every end of a session since then again
    /// (``SQLDialect/lowestOpenNumber``).
    private static let takeTurn: SQLStatement =
        "SELECT pg_advisory_xact_lock(hashtextextended('drawbridge migration turn ' || current_schema(), 0))"

    /// - Throws: ``PostgresOpenError``, ``NewerSchemaError``, ``SQLError``.
    func run(at now: Timestamp) async throws {
        let engine = connection()
        defer { engine.close() }
        let isUpToDate = try await engine.onWriterNow { [address] session in
            try PostgresStorage.requireUTF8(session, database: address.description)
            return try PostgresStorage.hasEveryStep(session)
        }
        guard !isUpToDate else { return }
        let deadline = ContinuousClock.now + patience.limit
        let turn = connection()
        defer { turn.close() }
        try await turn.onWriterNow { session in
            try session.begin()
            _ = try session.run(Self.takeTurn)
        }
        while try await !attempt(on: engine, at: now, until: deadline) {}
    }

    /// - Returns: whether the tables are up to date.
    private func attempt(
        on engine: PostgresEngine, at now: Timestamp, until deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        do {
            try await engine.onWriterNow { [migrator] session in
                guard try !PostgresStorage.hasEveryStep(session) else { return }
                try migrator.migrate(session, at: now)
            }
            return true
        } catch let failure as SQLError where failure.isConflict && ContinuousClock.now < deadline {
            logger.notice("bringing the tables up to date waited for a node that waited for it; once more")
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...500)))
            return false
        } catch let failure as SQLError where failure.kind == .lockTimeout {
            let holder = (try? await engine.onWriterNow(Self.tableHolder)) ?? "unknown"
            logger.notice(
                "bringing the tables up to date waited for another transaction; once more",
                metadata: ["holder": "\(holder)"])
            // Before giving up, too: then comes the turn of the next node.
            try await Task.sleep(for: patience.pause)
            guard ContinuousClock.now < deadline else {
                throw PostgresOpenError.tablesHeld(address.description, by: holder)
            }
            return false
        }
    }

    private func connection() -> PostgresEngine {
        PostgresEngine(address: address, node: nil, readers: 0, timeouts: .command, logger: logger)
    }

    /// Who has held any of the tables for the longest time, for an operator. Whom a statement waited for, the server does
    /// not say once it has given up.
    @Sendable private static func tableHolder(_ session: any SQLSession) throws -> String {
        try session.run(
            SQLStatement(
                """
                SELECT CAST(pid AS text) || ' (' || COALESCE(NULLIF(application_name, ''), 'no name') || ')'
                FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND pid IN
                    (SELECT pg_locks.pid FROM pg_locks JOIN pg_class ON pg_class.oid = pg_locks.relation
                     JOIN pg_database ON pg_database.oid = pg_locks.database
                     JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
                     WHERE pg_locks.granted AND datname = current_database() AND nspname = current_schema())
                ORDER BY xact_start, pid LIMIT 1
                """, isRecurring: false)
        ).first?.text(0) ?? "unknown"
    }
}
