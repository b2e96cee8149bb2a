package import Bridge
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
    /// - Throws: ``StorageCopyError``, ``SQLiteOpenError``, ``PostgresOpenError``, `StorageError`; the target holds
    ///   nothing then.
    package static func run(
        fromSQLite path: String, to target: PostgresAddress, at now: Timestamp
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
                        return try transfer(from: reader, to: writer)
                    }
                })
        } catch {
            copied = .failure((error as? SQLFailure)?.storageError ?? error)
        }
        engine.close()
        try await storage.close()
        return try copied.get()
    }

    private static func transfer(from reader: any SQLSession, to writer: any SQLSession) throws -> Report {
        try writer.begin()
        do {
            for table in CopiedTable.all {
                guard try count(table, on: writer) == 0 else { throw StorageCopyError.targetNotEmpty(table.name) }
            }
            var rows: [(table: String, count: Int)] = []
            for table in CopiedTable.all {
                rows.append((table.name, try copy(table, from: reader, to: writer)))
            }
            for table in CopiedTable.all { try compare(table, reader, writer) }
            try writer.commit()
            return Report(rows: rows)
        } catch {
            writer.rollback()
            throw error
        }
    }

    private static func copy(
        _ table: CopiedTable, from reader: any SQLSession, to writer: any SQLSession
    ) throws -> Int {
        let insert = table.insert
        var source = TableReader(table, from: reader, partSize: partSize)
        var count = 0
        while case let rows = try source.next(), !rows.isEmpty {
            for row in rows { try writer.submit(insert, row.values) }
            count += rows.count
        }
        return count
    }

    /// Reads both sides again, row by row in order of the key.
    private static func compare(_ table: CopiedTable, _ left: any SQLSession, _ right: any SQLSession) throws {
        var source = TableReader(table, from: left, partSize: partSize)
        var target = TableReader(table, from: right, partSize: partSize)
        while true {
            let wanted = try source.next()
            guard try target.next() == wanted else { throw StorageCopyError.differs(table.name) }
            guard !wanted.isEmpty else { break }
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
