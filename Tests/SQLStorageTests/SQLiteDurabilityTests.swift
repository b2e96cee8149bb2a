import Bridge
import Foundation
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct SQLiteDurabilityTests {
    // GRDB sets NORMAL on its writer after it was set up, so the setting must be made afterwards.
    @Test func `the writer flushes every commit`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.append([.sample()])
            #expect(try storage.onWriter("PRAGMA synchronous").map(\.values) == [[.integer(2)]])
            #expect(try storage.onWriter("PRAGMA journal_mode").map(\.values) == [[.text("wal")]])
        }
    }

    @Test func `a full disk refuses every write, keeps nothing of it, and heals`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.append([.sample()])
            try storage.onWriter("PRAGMA max_page_count = 1")
            let written = await Self.appendUntilRefused(storage)
            #expect(written < 5000)
            try storage.onWriter("PRAGMA max_page_count = 1073741823")
            try await Self.expectIntact(storage, events: 1 + written)
            try await storage.append([.sample()])
            try await Self.expectIntact(storage, events: 2 + written)
        }
    }

    @Test func `on a full disk every write of the batch fails`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.append([.sample()])
            try storage.onWriter("PRAGMA max_page_count = 1")
            let large = String(repeating: "x", count: 100_000)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await #expect(throws: StorageError.self) {
                            try await storage.append([.sample(reason: large)])
                        }
                    }
                }
            }
            try storage.onWriter("PRAGMA max_page_count = 1073741823")
            try await Self.expectIntact(storage, events: 1)
        }
    }

    @Test func `a database that became read-only refuses writes and still reads`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.append([.sample()])
            try storage.onWriter("PRAGMA query_only = 1")
            let error = await #expect(throws: StorageError.self) { try await storage.append([.sample()]) }
            guard case .unavailable = error else {
                Issue.record("wanted unavailable, got \(String(reflecting: error))")
                return
            }
            await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(try await storage.chains().map(\.sequence) == [1])
            try storage.onWriter("PRAGMA query_only = 0")
            try await storage.append([.sample()])
            try await Self.expectIntact(storage, events: 2)
        }
    }

    @Test func `a reopened node continues its chain`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try database.open(node: "n")
            try await first.append([.sample(), .sample()])
            try await first.close()
            let second = try database.open(node: "n")
            try await second.append([.sample()])
            try await Self.expectIntact(second, events: 3)
        }
    }

    @Test func `a signer that fails holds up no event`() async throws {
        struct NoKey: Error {}
        struct BrokenSigner: AuditNoteSigning {
            var trustedKeys: [AuditVerifierKey] { [] }

            func sign(node: String, size: Int64, hash: String, at: Timestamp) throws -> AuditCheckpoint {
                throw NoKey()
            }

            func signCut(
                node: String, through: Int64, hash: String, retention: Duration, isAdopted: Bool, at: Timestamp
            ) throws -> AuditCut {
                throw NoKey()
            }
        }
        try await TemporaryDatabase.with { database in
            let storage = try database.open(signer: BrokenSigner())
            try await storage.append((1...1500).map { _ in .sample() })
            try await Self.expectIntact(storage, events: 1500)
            #expect(try await storage.checkpoints() == [])
        }
    }

    @Test func `the write-ahead log starts over under steady writing`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.close()
            let engine = try SQLiteEngine(
                path: database.path, lock: NodeLock(databasePath: database.path, node: "busy"),
                walLimits: WriteAheadLogKeeper.Limits(pages: 30, writes: 10))
            let writer = GroupCommitWriter(engine: engine, auditor: .sample(node: "busy"))
            let text = String(repeating: "x", count: 3000)
            // The log is copied beside the writes, and on a busy machine later than on an idle one.
            var written = 0
            var logSize = 0
            repeat {
                for _ in 0..<500 { try await writer.write { try $0.record(.sample(reason: text)) } }
                written += 500
                logSize = try Self.size(database.path + "-wal")
            } while logSize >= written * 4096 && written < 10_000
            // Each write is a commit of at least two pages, so without a restart the log would hold twice as many.
            #expect(logSize < written * 4096)
            #expect(try Self.size(database.path) > 250 * 4096)
            try engine.close()
        }
    }

    /// One batch of a purge dirties as many pages as hundreds of requests do.
    @Test func `the write-ahead log starts over under steady upkeep`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.close()
            let engine = try SQLiteEngine(
                path: database.path, lock: NodeLock(databasePath: database.path, node: "busy"),
                walLimits: WriteAheadLogKeeper.Limits(pages: 300, writes: 1_000_000))
            let writer = GroupCommitWriter(engine: engine, auditor: .sample(node: "busy"))
            let rows = 60
            try engine.onWriterNow { session in
                _ = try session.run("CREATE TABLE wide (a INTEGER, text TEXT)")
                for _ in 0..<rows {
                    _ = try session.run(
                        "INSERT INTO wide VALUES (0, $1)", [.text(String(repeating: "x", count: 3000))])
                }
            }
            var pages = 0
            var logSize = 0
            repeat {
                for _ in 0..<60 {
                    try await writer.write(isUpkeep: true) { _ = try $0.run("UPDATE wide SET a = a + 1") }
                }
                pages += 60 * rows
                logSize = try Self.size(database.path + "-wal")
                // Long before SQLite itself would step in.
            } while logSize >= pages * 4096 && pages < WriteAheadLogKeeper.lastResort / 2
            // Each row has a page of its own, so without a restart the log would hold them all.
            #expect(logSize < pages * 4096)
            try engine.close()
        }
    }

    private static func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private static func appendUntilRefused(_ storage: DurableStorage) async -> Int {
        var written = 0
        while written < 5000 {
            do { try await storage.append([.sample(reason: "filling")]) } catch { return written }
            written += 1
        }
        return written
    }

    private static func expectIntact(
        _ storage: DurableStorage, events: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let node = try #require(try await storage.chains().first?.node)
        let records = try await storage.records(of: node, in: 1...Int64.max, limit: events + 10)
        #expect(records.map(\.sequence) == (0..<events).map { Int64($0 + 1) }, sourceLocation: sourceLocation)
        let links = [AuditRecord.genesis] + records.map(\.hash).dropLast()
        #expect(records.map(\.previousHash) == links, sourceLocation: sourceLocation)
        #expect(records.allSatisfy { $0.isIntact }, sourceLocation: sourceLocation)
    }
}
