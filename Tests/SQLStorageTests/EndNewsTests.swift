import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

/// Ends of sessions as other nodes read them (contract §16.11).
@Suite struct EndNewsTests {
    @Test(arguments: AuditStore.engines)
    func `an end is no news while its number, of another cluster, is one that this database has not come to`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            _ = try await storage.redeemSample("of the dump")
            _ = try await storage.redeemSample("of today")
            let mark = try await storage.sessionsEnded(since: nil).mark
            try store.run(
                "UPDATE web_session SET ended_at = 1, ended_in = 1000000000000 WHERE id = 'session-of the dump'")
            _ = try await storage.end(.webSession("session-of today"), .sample())
            #expect(try await storage.sessionsEnded(since: mark).ended == ["session-of today"])
        }
    }
}
