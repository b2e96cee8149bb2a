import Bridge
import BridgeTestSupport
import Foundation
import Testing

@testable import SQLStorage

/// A database file of which a page was overwritten, as by a disk that fails.
@Suite struct DamagedFileTests {
    private struct Scene {
        let storage: DurableStorage
        let path: String
        let clock = SettableClock(Timestamp(seconds: 1_795_356_000))
        let log = LogLines()
        /// What the log was told of damage.
        var told: [String] { log.all.filter { $0.contains("damaged") } }

        init(_ path: String) throws {
            self.path = path
            storage = try SQLiteStorage.open(
                path: path, node: "n", signer: UnsignedCheckpoints(), time: clock.source, logger: log.logger)
        }

        /// What needs the damaged page.
        func issue() async {
            await #expect(throws: StorageError.self) {
                _ = try await storage.recordIssue(
                    IssuedLoginToken(
                        id: "t", subject: "alice", clientID: "app", issuedAt: clock.now,
                        expiresAt: clock.now + .seconds(60)),
                    scope: nil, namedFirstBy: nil, idempotency: nil, event: .sample(.loginTokenIssued))
            }
        }

        func isUnfit() async -> Bool {
            do { try await storage.checkWritable() } catch { return true }
            return false
        }
    }

    private static let told = [
        "error: the database is damaged: keep a copy of its file, and restore a backup "
            + "code=SQLite 11 (database disk image is malformed)"
    ]

    /// Runs `body` on a database that is whole but for the first page of a table or an index.
    private static func with(
        damaged part: String = "login_token_use", _ body: (Scene) async throws -> Void
    ) async throws {
        try await TemporaryDatabase.with { database in
            try await damage(part, of: database)
            let scene = try Scene(database.path)
            let result: Result<Void, any Error>
            do { result = .success(try await body(scene)) } catch { result = .failure(error) }
            try await scene.storage.close()
            try result.get()
        }
    }

    private static func damage(_ part: String, of database: TemporaryDatabase) async throws {
        let whole = try database.open(node: "n")
        try await whole.checkWritable()
        let root = SQLStatement("SELECT rootpage FROM sqlite_master WHERE name = '\(part)'", isRecurring: false)
        let page = try #require(try whole.onWriter(root).first?.integer(0))
        let size = try #require(try whole.onWriter("PRAGMA page_size").first?.integer(0))
        // Else the page would be read from there.
        try whole.onWriter("PRAGMA wal_checkpoint(TRUNCATE)")
        try await whole.close()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: database.path))
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xFF, count: Int(size)))
        try file.close()
    }

    @Test func `a request that meets damage makes the storage unfit, whatever else can be written`() async throws {
        try await Self.with { scene in
            #expect(await !scene.isUnfit())
            await scene.issue()
            try await scene.storage.append([.sample()])
            #expect(await scene.isUnfit())
            scene.clock.advance(.seconds(9))
            #expect(await scene.isUnfit())
            scene.clock.advance(.seconds(1))
            #expect(await !scene.isUnfit(), "or no request could show that it still is")
            await scene.issue()
            #expect(await scene.isUnfit())
            #expect(scene.told == Self.told, "once")
        }
    }

    @Test func `a look-up that meets damage makes the storage unfit, too`() async throws {
        try await Self.with(damaged: "sqlite_autoindex_login_token_use_1") { scene in
            await #expect(throws: StorageError.self) { _ = try await scene.storage.state(of: "t") }
            #expect(await scene.isUnfit())
            #expect(scene.told == Self.told)
        }
    }

    @Test func `damage that only the service's own work meets is told and refuses nobody`() async throws {
        try await Self.with { scene in
            let all: SQLStatement = "SELECT * FROM login_token_use"
            await #expect(throws: StorageError.self) { _ = try await scene.storage.browse { try $0.run(all) } }
            await #expect(throws: StorageError.self) {
                _ = try await scene.storage.writeUpkeep { try $0.run("DELETE FROM login_token_use") }
            }
            #expect(await !scene.isUnfit())
            #expect(scene.told == Self.told)
        }
    }

    @Test func `damage that upkeep meets fails no request that shares its commit`() async throws {
        try await Self.with { scene in
            let storage = scene.storage
            let results: [Result<Void, any Error>] = try await storage.inOneBatch([
                { try await storage.append([.sample()]) },
                { _ = try await storage.writeUpkeep { try $0.run("DELETE FROM login_token_use") } },
            ])
            try results[0].get()
            #expect(throws: StorageError.self) { try results[1].get() }
            #expect(await !scene.isUnfit())
            #expect(scene.told == Self.told)
        }
    }

    @Test func `a check reads every page, and a backup says that what it is of is damaged`() async throws {
        try await Self.with { scene in
            let damaged = SQLiteOpenError.notADatabase(scene.path)
            #expect(throws: damaged) { try SQLiteBackup.check(scene.path) }
            #expect(throws: damaged) { try SQLiteBackup.make(of: scene.path, at: "\(scene.path).copy") }
        }
    }
}
