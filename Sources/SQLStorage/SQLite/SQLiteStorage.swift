package import Bridge
import Foundation
import GRDB
package import Logging

/// Opens the durable stores on an SQLite file.
package enum SQLiteStorage {
    /// Opens or creates the file, brings its tables up to date, and takes the node's name.
    ///
    /// Several processes may have one file open at a time when each has a node name of its own: a command that runs
    /// next to the server calls itself `<node>-cli`, for instance.
    /// - Parameters:
    ///   - node: whose audit chain this process continues.
    ///   - signer: signs the chain's checkpoints and cuts.
    ///   - outlet: gets what is signed, once it is durable.
    ///   - markPath: where the last commit is noted; `nil` for a command, which does not watch over the database.
    ///   - migrating: follows the steps that bring the tables up to date.
    /// - Throws: ``SQLiteOpenError``.
    package static func open(
        path: String, node: String, signer: any AuditNoteSigning, outlet: any AuditNoteOutlet = NoAuditNoteOutlet(),
        markPath: String? = nil, migrating report: @escaping MigrationReport = { _, _ in },
        time: TimeSource = .system, logger: Logger = .storage
    ) throws(SQLiteOpenError) -> DurableStorage {
        try checkDirectory(of: path)
        let lock = try NodeLock(databasePath: path, node: node)
        let engine = try openEngine(path: path, lock: lock)
        try migrate(engine, path: path, report, at: time.now())
        let lease = try lease(engine, path: path, node: node, markPath: markPath, time: time, logger: logger)
        let auditor = AuditChainWriter(
            node: node, signer: signer, outlet: outlet, time: time, logger: logger, lease: lease)
        return DurableStorage(engine: engine, auditor: auditor, time: time)
    }

    /// Opens a file that exists, for reading: no node name is taken and every write is refused.
    /// - Throws: ``SQLiteOpenError``.
    package static func openForReading(path: String) throws(SQLiteOpenError) -> DurableStorage {
        DurableStorage(engine: try engineForReading(path: path), auditor: nil, time: .system)
    }

    /// The engine alone of what ``openForReading(path:)`` opens.
    static func engineForReading(path: String) throws(SQLiteOpenError) -> SQLiteEngine {
        try checkDirectory(of: path)
        let engine = try openEngine(path: path, lock: nil)
        let missing: [Migration]
        do {
            missing = try engine.onWriterNow(Migrator(dialect: engine.dialect).missing)
        } catch let failure as SQLError where failure.kind == .refused {
            throw .notMigrated(path)
        } catch {
            throw openError(error, path: path)
        }
        guard missing.isEmpty else { throw .notMigrated(path) }
        return engine
    }

    private static func checkDirectory(of path: String) throws(SQLiteOpenError) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw .directoryMissing(directory)
        }
    }

    private static func openEngine(path: String, lock: NodeLock?) throws(SQLiteOpenError) -> SQLiteEngine {
        do {
            return try SQLiteEngine(path: path, lock: lock)
        } catch {
            throw openError(error, path: path)
        }
    }

    private static func migrate(
        _ engine: SQLiteEngine, path: String, _ report: @escaping MigrationReport, at now: Timestamp
    ) throws(SQLiteOpenError) {
        do {
            try engine.onWriterNow { session in
                try Migrator(dialect: engine.dialect, report: report).migrate(session, at: now)
            }
        } catch {
            throw openError(error, path: path)
        }
    }

    private static func lease(
        _ engine: SQLiteEngine, path: String, node: String, markPath: String?, time: TimeSource, logger: Logger
    ) throws(SQLiteOpenError) -> NodeLease {
        do {
            let mark = try markPath.map { try CommitMark(path: $0) }
            let lease = NodeLease(
                node: node, dialect: engine.dialect, mark: mark,
                neighbours: mark?.found == .missing ? neighbours(of: node, path: path, markPath: markPath) : [:],
                time: time, logger: logger)
            try engine.onWriterNow { session in try lease.confirm(session) }
            return lease
        } catch let error as CommitMarkError {
            throw .cannotOpen(path: error.path, reason: error.reason)
        } catch {
            throw openError(error, path: path)
        }
    }

    /// What other nodes that run on the database now have noted last.
    private static func neighbours(of node: String, path: String, markPath: String?) -> [String: SeenCommit] {
        guard let markPath, markPath.hasSuffix(".\(node)") else { return [:] }
        let prefix = markPath.dropLast(node.count)
        return livingNodes(of: path, besides: node).reduce(into: [:]) { commits, other in
            // A command notes nothing.
            if case .certain(let commit) = CommitMark.glance(at: "\(prefix)\(other)") { commits[other] = commit }
        }
    }

    /// Nodes that write to the database of a file now, in other processes.
    package static func livingNodes(of path: String, besides node: String) -> [String] {
        NodeLock.names(databasePath: path).filter { $0 != node && NodeLock.isHeld(databasePath: path, node: $0) }
            .sorted()
    }

    private static func openError(_ error: any Error, path: String) -> SQLiteOpenError {
        switch error {
        case let error as SQLiteOpenError: error
        case let error as NewerSchemaError: .newerSchema(path: path, found: error.found, known: error.known)
        case let failure as SQLError where failure.kind == .corrupt: .notADatabase(path)
        case let failure as SQLError where failure.isReadOnly: .notWritable(path)
        case let failure as SQLError: .cannotOpen(path: path, reason: failure.text)
        case let error as DatabaseError: openError(SQLError(error), path: path)
        default: .cannotOpen(path: path, reason: "\(error)")
        }
    }
}

/// Why a database file could not be opened, in words for the operator who named it.
package enum SQLiteOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    case directoryMissing(String)
    /// Anything else that keeps the file from being opened for reading and writing.
    case cannotOpen(path: String, reason: String)
    /// A copy has no room, or no right to be where it was meant to be.
    case cannotWrite(path: String, reason: String)
    case notADatabase(String)
    /// This account has no right to write it, or its file system is mounted for reading alone.
    case notWritable(String)
    /// A newer version has changed the database's tables.
    case newerSchema(path: String, found: Int64, known: Int64)
    /// The tables were never made, or by an older version, and this process may not change them.
    case notMigrated(String)
    case nodeInUse(String)
    case badNodeName(String)
    /// Locks of the file system keep no one out.
    case locksNotReal(path: String, reason: String)

    package var description: String {
        switch self {
        case .directoryMissing(let path): "the directory \(path) does not exist"
        case .cannotOpen(let path, let reason): "\(path) cannot be opened: \(reason)"
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)"
        case .notADatabase(let path): "\(path) is not an SQLite database, or is damaged"
        case .notWritable(let path):
            "\(path) is not writable: it has to belong to the account that runs this (chown), with mode 600, on a file "
                + "system that is mounted for writing"
        case .newerSchema(let path, let found, let known):
            "\(path) was written by a newer version (its tables are at version \(found), this program knows up to "
                + "\(known)); run the newer program, or restore a backup"
        case .notMigrated(let path): "\(path) has not been set up by this version; start the server once"
        case .nodeInUse(let node) where NodeName.isOfCommand(node): NodeName.commandInUse(node)
        case .nodeInUse(let node):
            // Another name would be no way out: an embedded database is one server's.
            "another process writes this database as the node \(node.debugDescription); stop it first"
        case .locksNotReal(let path, let reason):
            "the file system does not keep locks, and without them two processes would ruin the database: \(path): "
                + "\(reason). Put the data folder on a local disk, or use PostgreSQL"
        case .badNodeName(let node):
            "\(node.debugDescription) is not a node name: use 1 to 64 letters, digits, dots, dashes and underscores"
        }
    }
}
