import Bridge
import BridgeTestSupport
import Synchronization
import Testing

@testable import SQLStorage

/// A disk that is full, where the row that readiness writes in place still fits.
@Suite struct WriteOutageTests {
    private struct Refusal: Error {}

    /// What the log was told, and a clock that the test moves.
    private final class Scene: Sendable {
        private let clock = Mutex(Timestamp(seconds: 1_795_356_000))
        let log = LogLines()

        var time: TimeSource { TimeSource { self.clock.withLock { $0 } } }
        /// What the log was told of the database.
        var told: [String] { log.all.filter { $0.contains("the database can") } }

        func wait(_ duration: Duration) { clock.withLock { $0 = $0 + duration } }
    }

    private static let began = "error: the database cannot be written code=SQLite 13 (database or disk is full)"
    private static let isOver = "notice: the database can be written again"
    /// More than fits into pages that a full file has free within.
    private static let large = (1...40).map { _ in AuditEvent.sample(reason: String(repeating: "x", count: 60_000)) }

    private static func with(_ body: (DurableStorage, Scene) async throws -> Void) async throws {
        try await TemporaryDatabase.with { database in
            let scene = Scene()
            let storage = try SQLiteStorage.open(
                path: database.path, node: "n", signer: UnsignedCheckpoints(), time: scene.time,
                logger: scene.log.logger)
            let result: Result<Void, any Error>
            do {
                // So that its row is there.
                try await storage.checkWritable()
                result = .success(try await body(storage, scene))
            } catch { result = .failure(error) }
            try await storage.close()
            try result.get()
        }
    }

    private static func fill(_ storage: DurableStorage) async throws {
        try storage.onWriter("PRAGMA max_page_count = 1")
        await refuse(storage)
    }

    private static func refuse(_ storage: DurableStorage) async {
        await #expect(throws: StorageError.self) { try await storage.append(large) }
    }

    private static func empty(_ storage: DurableStorage) throws {
        try storage.onWriter("PRAGMA max_page_count = 1073741823")
    }

    @Test func `a full disk is not writable although readiness's own row fits, until a write succeeds`() async throws {
        try await Self.with { storage, scene in
            try await Self.fill(storage)
            scene.wait(.seconds(9))
            await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            try Self.empty(storage)
            await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            try await storage.write { _ in }
            await #expect(throws: StorageError.self, "an empty commit says nothing") {
                try await storage.checkWritable()
            }
            try await storage.append([.sample()])
            try await storage.checkWritable()
        }
    }

    @Test func `ten seconds after the last failure it is tried again, for nobody writes to a server not ready`()
        async throws
    {
        try await Self.with { storage, scene in
            try await Self.fill(storage)
            scene.wait(.seconds(6))
            await Self.refuse(storage)
            scene.wait(.seconds(6))
            await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            scene.wait(.seconds(4))
            try await storage.checkWritable()
            try Self.empty(storage)
        }
    }

    @Test func `the log has an outage once, with the engine's code, and its end`() async throws {
        try await Self.with { storage, scene in
            try await Self.fill(storage)
            await Self.refuse(storage)
            scene.wait(.seconds(60))
            await Self.refuse(storage)
            #expect(scene.told == [Self.began])
            try Self.empty(storage)
            try await storage.append([.sample()])
            #expect(scene.told == [Self.began], "on a disk that is nearly full a small write may succeed")
            scene.wait(.seconds(10))
            try await storage.append([.sample()])
            #expect(scene.told == [Self.began, Self.isOver])
            try await Self.fill(storage)
            try Self.empty(storage)
            #expect(scene.told == [Self.began, Self.isOver, Self.began])
        }
    }

    @Test func `upkeep without room, a caller's fault and a broken statement are no outage`() async throws {
        try await Self.with { storage, scene in
            await #expect(throws: Refusal.self) {
                try await storage.write { transaction in
                    try transaction.record(.sample())
                    throw Refusal()
                }
            }
            await #expect(throws: StorageError.self) {
                try await storage.write { _ = try $0.run("INSERT INTO no_such_table VALUES (1)") }
            }
            try storage.onWriter("PRAGMA max_page_count = 1")
            await #expect(throws: StorageError.self) {
                try await storage.writeUpkeep { transaction in
                    for event in Self.large { try transaction.record(event) }
                }
            }
            try await storage.checkWritable()
            #expect(scene.told == [])
            try Self.empty(storage)
        }
    }

    @Test func `how far the audit log was forwarded is upkeep`() async throws {
        try await Self.with { storage, scene in
            try storage.onWriter("PRAGMA max_page_count = 1")
            await #expect(throws: StorageError.self) {
                try await storage.noteForwarded(
                    to: String(repeating: "x", count: 2_400_000), node: "n", through: AuditForwardPosition(),
                    at: Timestamp(milliseconds: 0))
            }
            try await storage.checkWritable()
            #expect(scene.told == [])
            try Self.empty(storage)
        }
    }
}
