package import Bridge
import Foundation
import Logging

/// Copies everything from the embedded database to a PostgreSQL server, for growing up.
///
/// All or nothing. The rows go in one transaction of the target, and before its commit every row is read back and
/// compared. No process may write the source meanwhile: what it writes afterwards would be left behind.
package enum StorageCopy {
    /// Rows read at a time.
    private static let partSize = 1000

    /// What was copied.
    package struct Report: Sendable {
        /// Rows by table, in the order of copying.
        package let rows: [(table: String, count: Int)]
    }

    /// Copies and verifies.
    /// - Parameters:
    ///   - path: the SQLite file.
    ///   - target: an address whose tables are empty, or not there.
    ///   - progress: told now and then how many rows were copied or compared.
    /// - Throws: ``StorageCopyError``, ``SQLiteOpenError``, ``PostgresOpenError``, `StorageError`; the target holds
    ///   nothing then.
    package static func run(
        fromSQLite path: String, to target: PostgresAddress, at now: Timestamp,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Report {
        if let node = NodeLock.holders(databasePath: path).first { throw StorageCopyError.sourceInUse(node) }
        let storage = try SQLiteStorage.openForReading(path: path)
        guard let source = storage.engine as? SQLiteEngine else { throw StorageCopyError.differs(path) }
        try await PostgresStorage.migrate(target, at: now)
        let engine = PostgresEngine(
            address: target, node: nil, readers: 0, timeouts: .command,
            logger: Logger(label: "drawbridge.storage"))
        let copied: Result<Report, any Error>
        do {
            copied = .success(
                try await engine.onWriterNow { writer in
                    try source.onWriterNow { reader in
                        // One view from the first row to the comparison.
                        _ = try reader.run("BEGIN")
                        defer { reader.rollback() }
                        return try transfer(from: reader, to: writer, progress)
                    }
                })
        } catch {
            copied = .failure((error as? SQLError)?.storageError ?? error)
        }
        engine.close()
        try await storage.close()
        return try copied.get()
    }

    private static func transfer(
        from reader: any SQLSession, to writer: any SQLSession, _ progress: (Int) -> Void
    ) throws -> Report {
        var done = 0
        func note(_ rows: Int) {
            done += rows
            progress(done)
        }
        try writer.begin()
        do {
            for table in CopiedTable.all {
                guard try count(table, on: writer) == 0 else { throw StorageCopyError.targetNotEmpty(table.name) }
            }
            var rows: [(table: String, count: Int)] = []
            for table in CopiedTable.all {
                rows.append((table.name, try copy(table, from: reader, to: writer, note)))
            }
            for table in CopiedTable.all { try compare(table, reader, writer, note) }
            try writer.commit()
            return Report(rows: rows)
        } catch {
            writer.rollback()
            throw error
        }
    }

    private static func copy(
        _ table: CopiedTable, from reader: any SQLSession, to writer: any SQLSession, _ progress: (Int) -> Void
    ) throws -> Int {
        let insert = table.insert
        var source = TableReader(table, from: reader, partSize: partSize)
        var count = 0
        while case let rows = try source.next(), !rows.isEmpty {
            for row in rows { try writer.submit(insert, row.values) }
            count += rows.count
            progress(rows.count)
        }
        return count
    }

    /// Reads both sides again, row by row in order of the key.
    private static func compare(
        _ table: CopiedTable, _ left: any SQLSession, _ right: any SQLSession, _ progress: (Int) -> Void
    ) throws {
        var source = TableReader(table, from: left, partSize: partSize)
        var target = TableReader(table, from: right, partSize: partSize)
        while true {
            let wanted = try source.next()
            guard try target.next() == wanted else { throw StorageCopyError.differs(table.name) }
            guard !wanted.isEmpty else { break }
            progress(wanted.count)
        }
        guard try count(table, on: left) == count(table, on: right) else {
            throw StorageCopyError.differs(table.name)
        }
    }

    private static func count(_ table: CopiedTable, on session: any SQLSession) throws -> Int64 {
        try session.run(table.count).first?.integer(0) ?? 0
    }
}

/// Why a copy was not made.
package enum StorageCopyError: Error, Hashable, Sendable, CustomStringConvertible {
    case sourceInUse(String)
    case targetNotEmpty(String)
    case differs(String)

    package var description: String {
        switch self {
        case .sourceInUse(let node):
            "a process still runs on the source as the node \(node.debugDescription); stop it first"
        case .targetNotEmpty(let table):
            "the target's table \(table) holds rows already; a copy needs an empty database"
        case .differs(let table):
            "after the copy the table \(table) differs from the source; nothing was kept"
        }
    }
}

extension NodeLock {
    /// The node names under which processes have a database file open for writing.
    static func holders(databasePath: String) -> [String] {
        let file = URL(fileURLWithPath: databasePath)
        let names = try? FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        let prefix = file.lastPathComponent + "."
        let nodes = (names ?? []).filter { $0.hasPrefix(prefix) && $0.hasSuffix(".lock") }
            .map { String($0.dropFirst(prefix.count).dropLast(".lock".count)) }
        return nodes.filter { node in
            let opened = open("\(databasePath).\(node).lock", O_RDWR | O_CLOEXEC)
            guard opened >= 0 else { return false }
            // Closing lets go of a lock that was free.
            defer { Foundation.close(opened) }
            return flock(opened, LOCK_EX | LOCK_NB) != 0
        }
    }
}

/// Reads a table from its first key to its last, a part at a time.
struct TableReader {
    private let table: CopiedTable
    private let session: any SQLSession
    private let partSize: Int
    private var lastKey: [SQLValue]?
    private var isAtEnd = false

    init(_ table: CopiedTable, from session: any SQLSession, partSize: Int) {
        self.table = table
        self.session = session
        self.partSize = partSize
    }

    /// The next rows; none at the end.
    mutating func next() throws -> [SQLRow] {
        guard !isAtEnd else { return [] }
        let limit = [SQLValue.integer(Int64(partSize))]
        let rows =
            if let lastKey {
                try session.run(table.nextRows, lastKey + limit)
            } else {
                try session.run(table.firstRows, limit)
            }
        isAtEnd = rows.count < partSize
        lastKey = rows.last.map { Array($0.values.prefix(table.keyLength)) }
        return rows
    }
}
