package import Bridge
import Logging

/// Copies everything from the embedded database to a PostgreSQL server, for growing up.
///
/// All or nothing. The rows go in one transaction of the target, and before its commit every row is read back and
/// compared. No node that ever wrote the source, and none that is named, can write it meanwhile: that would be left
/// behind.
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
    ///   - nodes: names of servers that may begin to write the source, besides those that wrote there before.
    ///   - progress: told now and then how many rows were copied or compared.
    /// - Throws: ``StorageCopyError``, ``SQLiteOpenError``, ``PostgresOpenError``, `StorageError`; the target holds
    ///   nothing then.
    package static func run(
        fromSQLite path: String, to target: PostgresAddress, nodes: [String] = [], at now: Timestamp,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Report {
        let source = try SQLiteStorage.engineForReading(path: path)
        // For what fails before the copy; after it this does nothing.
        defer { try? source.close() }
        let hold = try hold(source, at: path, nodes: nodes)
        defer { hold.release() }
        try await PostgresStorage.migrate(target, at: now)
        let engine = PostgresEngine(
            address: target, node: nil, readers: 0, timeouts: .command, logger: .storage)
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
        try source.close()
        return try copied.get()
    }

    /// Keeps everything from writing to the source, servers and commands alike.
    private static func hold(_ source: SQLiteEngine, at path: String, nodes: [String]) throws -> SQLiteHold {
        var names = Set(nodes)
        do {
            // A process that never wrote there, under a name that it has by its settings, has left no lock's file.
            for row in try source.onWriterNow({ try $0.run("SELECT node FROM node_lease") }) {
                names.insert(try row.text(0))
            }
        } catch let error as SQLError {
            throw error.storageError
        }
        for name in names where !NodeName.isOfCommand(name) { names.insert(NodeName.ofCommand(beside: name)) }
        do {
            return try SQLiteBackup.hold(path, nodes: Array(names))
        } catch SQLiteOpenError.nodeInUse(let node) {
            throw StorageCopyError.sourceInUse(node)
        }
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
enum StorageCopyError: Error, Hashable, Sendable, CustomStringConvertible {
    case sourceInUse(String)
    case targetNotEmpty(String)
    case differs(String)

    var description: String {
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
