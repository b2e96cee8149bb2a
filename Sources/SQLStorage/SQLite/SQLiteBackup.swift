package import Bridge
import Foundation
import GRDB

/// Copies of an embedded database that are whole: made while others write, and put in the place of another.
package enum SQLiteBackup {
    /// Where a backup grows until it is whole.
    package static func unfinished(_ target: String) -> String { "\(target).partial" }

    /// Writes what the database holds now into a new file, for its owner alone.
    ///
    /// One read transaction sees one state, and servers go on meanwhile. What was deleted is not in the copy, not even as
    /// left-over bytes of a page.
    /// - Throws: ``SQLiteOpenError``.
    package static func make(of path: String, at target: String) throws(SQLiteOpenError) {
        let partial = unfinished(target)
        unlink(partial)
        do {
            // Made first, so that it never has other rights.
            let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw SQLiteOpenError.cannotOpen(path: partial, reason: Self.system) }
            close(descriptor)
            let source = try openForReading(path, patience: .timeout(30))
            try vacuum(source, of: path, into: partial)
            try source.close()
            try synchronize(partial)
            try check(partial)
            guard rename(partial, target) == 0 else {
                throw SQLiteOpenError.cannotOpen(path: target, reason: Self.system)
            }
            try FolderSync.ofFile(at: target)
        } catch {
            unlink(partial)
            throw openError(error, path: path)
        }
    }

    /// What has no room, or may not be written, is the copy; all else is about what it is of.
    private static func vacuum(_ source: DatabaseQueue, of path: String, into partial: String) throws {
        do {
            try source.inDatabase { try $0.execute(sql: "VACUUM INTO ?", arguments: [partial]) }
        } catch let error as DatabaseError {
            let failure = SQLError(error)
            let isReading = [ResultCode.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ].contains(error.extendedResultCode)
            guard failure.writeRefusal != nil, failure.kind != .corrupt, !isReading else {
                throw openError(failure, path: path)
            }
            throw SQLiteOpenError.cannotWrite(path: partial, reason: failure.text)
        }
    }

    /// Whether a file is a database of which every page is in its place.
    /// - Throws: ``SQLiteOpenError``.
    package static func check(_ path: String) throws(SQLiteOpenError) {
        do {
            // A server may be starting on it meanwhile.
            let database = try openForReading(path, patience: .timeout(5))
            let answer = try database.inDatabase { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
            try database.close()
            guard answer == ["ok"] else { throw SQLiteOpenError.notADatabase(path) }
        } catch {
            throw openError(error, path: path)
        }
    }

    /// Keeps others from writing to the database as long as the result lives.
    /// - Parameter nodes: names that a server or a command of this settings file has, whether it ever ran or not.
    /// - Throws: ``SQLiteOpenError/nodeInUse(_:)`` where another process does.
    package static func hold(_ path: String, nodes: [String]) throws(SQLiteOpenError) -> SQLiteHold {
        var locks: [String: NodeLock] = [:]
        for node in Set(NodeLock.names(databasePath: path) + nodes).sorted() {
            locks[node] = try NodeLock(databasePath: path, node: node)
        }
        return SQLiteHold(locks: locks)
    }

    /// Puts a file in the place of the database in one step; at no moment is there none.
    /// - Parameter kept: gets what was there before, if anything was.
    /// - Throws: ``SQLiteOpenError``.
    package static func replace(_ path: String, with new: String, keeping kept: String) throws(SQLiteOpenError) {
        do {
            // Everything that is still in its write-ahead log goes into the file.
            try fold(new)
            try synchronize(new)
            if FileManager.default.fileExists(atPath: path) {
                try? fold(path)
                guard link(path, kept) == 0 else { throw SQLiteOpenError.cannotOpen(path: kept, reason: Self.system) }
                // Read as part of the new file they would ruin it.
                for ending in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + ending) {
                    guard rename(path + ending, kept + ending) == 0 else {
                        throw SQLiteOpenError.cannotOpen(path: path + ending, reason: Self.system)
                    }
                }
            }
            guard rename(new, path) == 0 else { throw SQLiteOpenError.cannotOpen(path: path, reason: Self.system) }
            try FolderSync.ofFile(at: path)
        } catch {
            throw openError(error, path: path)
        }
    }

    /// Notes where nodes' chains end in the database, as servers that stopped in order would have.
    /// - Parameters:
    ///   - node: one of the nodes; the others are those that have notes.
    ///   - prefix: that of the notes' files, whose names end in the node's.
    /// - Throws: ``SQLiteOpenError``.
    package static func mark(_ path: String, node: String, prefix: String) throws(SQLiteOpenError) {
        let folder = (prefix as NSString).deletingLastPathComponent
        let beginning = (prefix as NSString).lastPathComponent
        let others = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
        do {
            let database = try openForReading(path)
            for node in Set(others + [node]) {
                let end = try database.inDatabase { database in
                    try AuditChainEnd.find(of: node, SQLiteSession(database: database).run)
                }
                unlink(prefix + node)
                let mark = try CommitMark(path: prefix + node)
                mark.note(SeenCommit(end))
                mark.close()
            }
            try database.close()
        } catch {
            throw openError(error, path: path)
        }
    }

    /// What a database says about itself, for the list that comes with a backup.
    package static func events(in path: String) throws(SQLiteOpenError) -> Int64 {
        do {
            let database = try openForReading(path)
            defer { try? database.close() }
            return try database.inDatabase { try Int64.fetchOne($0, sql: "SELECT count(*) FROM audit_event") } ?? 0
        } catch {
            throw openError(error, path: path)
        }
    }

    /// Whether an audit signing key has vouched for what is in a database, which may have no tables yet.
    package static func hasCheckpoints(in path: String) throws(SQLiteOpenError) -> Bool {
        try checkpoint(in: path) { try !$0.run(AuditSQL.anyCheckpoint).isEmpty } ?? false
    }

    /// What an audit signing key has vouched for last: for a node or its commands, or else for any.
    /// - Returns: `nil` where that is nothing, or cannot be read; there may be no tables yet.
    package static func newestCheckpoint(
        in path: String, of node: String
    ) throws(SQLiteOpenError) -> AuditCheckpoint? {
        try checkpoint(in: path) { try AuditSQL.newestCheckpoint(of: node, $0) }
    }

    /// - Returns: `nil` also where there are no tables yet.
    private static func checkpoint<Value>(
        in path: String, _ find: (SQLiteSession) throws -> Value?
    ) throws(SQLiteOpenError) -> Value? {
        do {
            // A server may be starting on it meanwhile.
            let database = try openForReading(path, patience: .timeout(5))
            defer { try? database.close() }
            return try database.inDatabase { database -> Value? in
                guard try database.tableExists("audit_checkpoint") else { return nil }
                return try find(SQLiteSession(database: database))
            }
        } catch {
            throw openError(error, path: path)
        }
    }

    private static func openForReading(
        _ path: String, patience: Database.BusyMode = .immediateError
    ) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = patience
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func fold(_ path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try database.close()
    }

    private static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteOpenError.cannotOpen(path: path, reason: system) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SQLiteOpenError.cannotOpen(path: path, reason: system) }
    }

    private static var system: String { String(cString: strerror(errno)) }

    private static func openError(_ error: any Error, path: String) -> SQLiteOpenError {
        switch error {
        case let error as SQLiteOpenError: error
        case let error as SQLError where error.kind == .corrupt: .notADatabase(path)
        case let error as SQLError: .cannotOpen(path: path, reason: error.text)
        case let error as DatabaseError: openError(SQLError(error), path: path)
        case let error as FolderSyncError: .cannotOpen(path: path, reason: String(cString: strerror(error.code)))
        case let error as CommitMarkError: .cannotOpen(path: error.path, reason: error.reason)
        default: .cannotOpen(path: path, reason: "\(error)")
        }
    }
}

/// Keeps every other process from writing to a database; see ``SQLiteBackup/hold(_:nodes:)``.
package final class SQLiteHold: Sendable {
    private let locks: [String: NodeLock]

    init(locks: [String: NodeLock]) { self.locks = locks }

    /// Lets them.
    package func release() { for lock in locks.values { lock.release() } }

    /// Lets them have one name, and none other.
    package func release(node: String) { locks[node]?.release() }
}
