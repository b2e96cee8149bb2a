package import Bridge
package import Logging

/// Opens the durable stores on a PostgreSQL database.
package enum PostgresStorage {
    /// Connections that read, when nothing else is said: each serves thousands of look-ups a second.
    package static let defaultReaders = 4

    /// Connects, brings the tables up to date, and takes the node's name.
    ///
    /// Any number of processes may share a database when each has a node name of its own. When several start at once,
    /// one migrates and the others wait for it.
    /// - Parameters:
    ///   - node: whose audit chain this process continues.
    ///   - signer: signs the chain's checkpoints and cuts.
    ///   - outlet: gets what is signed, once it is durable.
    ///   - readers: connections that read; one more writes.
    ///   - markPath: where the last commit is noted; `nil` for a command, which does not watch over the database.
    ///   - isPatient: whether a statement may take an hour, for a command that goes through whole tables while no
    ///     caller waits behind it.
    ///   - migrating: follows the steps that bring the tables up to date.
    package static func open(
        _ address: PostgresAddress, node: String, signer: any AuditNoteSigning,
        outlet: any AuditNoteOutlet = NoAuditNoteOutlet(), readers: Int = defaultReaders,
        markPath: String? = nil, isPatient: Bool = false,
        migrating report: @escaping MigrationReport = { _, _ in },
        time: TimeSource = .system, logger: Logger = .storage
    ) async throws(PostgresOpenError) -> DurableStorage {
        try await migrate(address, report: report, at: time.now(), logger: logger)
        let engine = PostgresEngine(
            address: address, node: node, readers: readers, timeouts: isPatient ? .command : .service, time: time,
            logger: logger)
        let lease: NodeLease
        do {
            let mark = try markPath.map { try CommitMark(path: $0) }
            lease = NodeLease(
                node: node, dialect: engine.dialect, mark: mark, written: engine.written, time: time, logger: logger)
            try await take(lease, on: engine)
            try await PostgresLockTrial(address: address, node: node, logger: logger).run(on: engine)
        } catch {
            engine.close()
            throw openError(error, database: address.description)
        }
        let auditor = AuditChainWriter(
            node: node, signer: signer, outlet: outlet, time: time, logger: logger, lease: lease)
        let storage = DurableStorage(engine: engine, auditor: auditor, time: time)
        engine.written.observeDoubt { [weak storage] in try? await storage?.confirmLease() }
        return storage
    }

    /// Takes the node's name, or waits for who has it: a process that vanished, whose lease runs out, or a command,
    /// which ends.
    private static func take(_ lease: NodeLease, on engine: PostgresEngine) async throws {
        // The server ends the transaction of one that vanished in its middle after as long as a statement may take.
        let limit = LeaseSQL.duration + NodeLease.pulse + PostgresTimeouts.service.statement
        var patience = NamePatience(for: lease.node, from: .now, limit: limit)
        while true {
            do {
                return try await engine.onWriterNow { try lease.take($0) }
            } catch let held as NodeHeld {
                guard patience.isLeft(for: held, at: .now) else { throw PostgresOpenError.nodeInUse(lease.node) }
            } catch let failure as SQLError
                where [.interrupted, .lockTimeout].contains(failure.kind) && patience.isLeft(at: .now)
            {
                // Two that start at once met, or a vanished one holds the row; the next attempt sees more.
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Opens a database whose tables are up to date, for reading: no node name is taken and every write is refused.
    package static func openForReading(
        _ address: PostgresAddress, readers: Int = 2, logger: Logger = .storage
    ) async throws(PostgresOpenError) -> DurableStorage {
        let engine = PostgresEngine(
            address: address, node: nil, readers: readers, timeouts: .command, logger: logger)
        let isUpToDate: Bool
        do {
            isUpToDate = try await engine.onWriterNow { session in
                try requireUTF8(session, database: address.description)
                return try hasEveryStep(session)
            }
            // Here and at another server it may say two things.
            if isUpToDate { try await engine.locateWriter() }
        } catch {
            engine.close()
            throw openError(error, database: address.description)
        }
        guard isUpToDate else {
            engine.close()
            throw .notMigrated(address.description)
        }
        engine.written.observeDoubt { [weak engine] in try? await engine?.locateWriter() }
        return DurableStorage(engine: engine, auditor: nil, time: .system)
    }

    /// Whether an audit signing key has vouched for what is in a database, whichever version made its tables.
    ///
    /// Reads only. Where there are no tables yet, nothing was signed.
    package static func hasCheckpoints(
        _ address: PostgresAddress, of node: String? = nil, logger: Logger = .storage
    ) async throws(PostgresOpenError) -> Bool {
        try await checkpoint(in: address, logger: logger) { session -> Bool? in
            guard let node else { return try !session.run(AuditSQL.anyCheckpoint).isEmpty }
            let names = [node, NodeName.ofCommand(beside: node)]
            return try !session.run(AuditSQL.ownCheckpoint, names.map { .text($0) }).isEmpty
        } ?? false
    }

    /// What an audit signing key has vouched for last: for a node or its commands, or else for any.
    /// - Returns: `nil` where that is nothing, or cannot be read; there may be no tables yet.
    package static func newestCheckpoint(
        _ address: PostgresAddress, of node: String, logger: Logger = .storage
    ) async throws(PostgresOpenError) -> AuditCheckpoint? {
        try await checkpoint(in: address, logger: logger) { try AuditSQL.newestCheckpoint(of: node, $0) }
    }

    /// What an audit signing key has vouched for last, for each node that runs now but one and its commands.
    /// - Returns: those that can be read; there may be no tables yet.
    package static func newestCheckpoints(
        _ address: PostgresAddress, besides node: String, logger: Logger = .storage
    ) async throws(PostgresOpenError) -> [AuditCheckpoint] {
        try await checkpoint(in: address, logger: logger) { session -> [AuditCheckpoint]? in
            try AuditSQL.newestCheckpoints(besides: node, session, .postgres)
        } ?? []
    }

    /// - Returns: `nil` also where there are no tables yet.
    private static func checkpoint<Value: Sendable>(
        in address: PostgresAddress, logger: Logger, _ find: @escaping @Sendable (any SQLSession) throws -> Value?
    ) async throws(PostgresOpenError) -> Value? {
        let engine = PostgresEngine(address: address, node: nil, readers: 0, timeouts: .command, logger: logger)
        defer { engine.close() }
        do {
            return try await engine.onWriterNow { session -> Value? in
                do {
                    return try find(session)
                } catch let failure as SQLError where failure.isMissingTable {
                    return nil
                }
            }
        } catch {
            throw openError(error, database: address.description)
        }
    }

    /// Brings the tables up to date, and needs no more than reading when they are.
    package static func migrate(
        _ address: PostgresAddress, report: @escaping MigrationReport = { _, _ in }, at now: Timestamp,
        patience: MigrationPatience = .standard, logger: Logger = .storage
    ) async throws(PostgresOpenError) {
        let migration = PostgresMigration(
            address: address, migrator: Migrator(dialect: .postgres, report: report), patience: patience,
            logger: logger)
        do {
            try await migration.run(at: now)
        } catch {
            throw openError(error, database: address.description)
        }
    }

    /// In another encoding names of users are refused one by one, when a user comes whose letters it does not have.
    /// - Throws: ``PostgresOpenError/wrongEncoding(database:found:)``, ``SQLError``.
    static func requireUTF8(_ session: any SQLSession, database: String) throws {
        let statement = SQLStatement("SELECT current_setting('server_encoding')", isRecurring: false)
        let encoding = try session.run(statement).first?.text(0) ?? ""
        guard encoding == "UTF8" else { throw PostgresOpenError.wrongEncoding(database: database, found: encoding) }
    }

    /// - Throws: ``NewerSchemaError``, ``SQLError``.
    static func hasEveryStep(_ session: any SQLSession) throws -> Bool {
        do {
            return try Migrator(dialect: .postgres).missing(session).isEmpty
        } catch let failure as SQLError where failure.isMissingTable {
            return false
        }
    }

    static func openError(_ error: any Error, database: String) -> PostgresOpenError {
        switch error {
        case let error as PostgresOpenError: return error
        case let error as NewerSchemaError:
            return .newerSchema(database: database, found: error.found, known: error.known)
        case let failure as SQLError:
            return .cannotOpen(database: database, reason: failure.text)
        default: return .cannotOpen(database: database, reason: "\(error)")
        }
    }
}

/// Why a PostgreSQL database could not be opened, in words for the operator who named it.
package enum PostgresOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    case badAddress(String)
    /// The server is away or refuses, or a migration failed.
    case cannotOpen(database: String, reason: String)
    /// A newer version has changed the database's tables.
    case newerSchema(database: String, found: Int64, known: Int64)
    /// The tables were never made, or by an older version, and this process may not change them.
    case notMigrated(String)
    case nodeInUse(String)
    /// The database cannot hold every letter.
    case wrongEncoding(database: String, found: String)
    /// What one connection locks, another can have.
    case locksNotReal(String)
    /// A transaction that stays open keeps a migration from a table.
    case tablesHeld(String, by: String)

    package var description: String {
        switch self {
        case .badAddress(let reason): "the database address cannot be read: \(reason)"
        case .cannotOpen(let database, let reason): "the database \(database) cannot be opened: \(reason)"
        case .newerSchema(let database, let found, let known):
            "the database \(database) was written by a newer version (its tables are at version \(found), this program "
                + "knows up to \(known)); run the newer program, or restore a backup"
        case .notMigrated(let database):
            "the database \(database) has not been set up by this version; start the server once"
        case .wrongEncoding(let database, let found):
            "the encoding of the database \(database) is \(found) and must be UTF8; make another one: "
                + "createdb --encoding UTF8 --template template0 NAME"
        case .locksNotReal(let database):
            "the database \(database) does not keep row locks: what one connection had locked, a second one got. It is "
                + "not a PostgreSQL server, or something in between does not keep transactions together"
        case .tablesHeld(let database, let holder):
            "the tables of the database \(database) could not be brought up to date: another transaction holds one of "
                + "them. The oldest is that of the server process \(holder); start again when it is over"
        case .nodeInUse(let node) where NodeName.isOfCommand(node): NodeName.commandInUse(node)
        case .nodeInUse(let node):
            "another process writes this database as the node \(node.debugDescription); stop it, or give this one "
                + "another `node`"
        }
    }
}
