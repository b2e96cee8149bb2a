import Bridge
import Synchronization
import Testing

@testable import SQLStorage

@Suite struct BrowseTests {
    @Test func `what goes through many rows waits its turn, and what an index finds does not`() async throws {
        try await TemporaryDatabase.with { database in
            let engine = BrowsedEngine(try database.open().engine)
            let storage = DurableStorage(engine: engine, auditor: .sample(node: "browsed"), time: .system)
            var byText = AuditFilter()
            byText.text = "x"
            _ = try await storage.users(matching: "a", after: nil, limit: 1)
            #expect(engine.count == 1)
            _ = try await storage.users(matching: "a", by: .name, after: nil, limit: 1)
            #expect(engine.count == 2)
            _ = try await storage.search(byText, before: nil, limit: 1)
            #expect(engine.count == 3)
            _ = try await storage.tallies(from: Visit.now, to: Visit.now + .seconds(60), minutesPerBar: 2)
            #expect(engine.count == 4)
            _ = try await storage.countLiveSessions(at: Visit.now)
            #expect(engine.count == 5)
            var bySubject = AuditFilter()
            bySubject.subject = "alice"
            _ = try await storage.search(bySubject, before: nil, limit: 1)
            _ = try await storage.users(after: nil, limit: 1)
            _ = try await storage.standing(of: "alice")
            // Alerts go by these.
            _ = try await storage.tallies(from: Visit.now, to: Visit.now + .seconds(60))
            #expect(engine.count == 5)
        }
    }
}

/// An engine that counts the reads that wait their turn.
private final class BrowsedEngine: EngineRelay {
    let engine: any SQLEngine
    private let browsed = Atomic(0)

    init(_ engine: any SQLEngine) { self.engine = engine }

    var count: Int { browsed.load(ordering: .relaxed) }

    func browse<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        browsed.add(1, ordering: .relaxed)
        return try await engine.browse(body)
    }
}
