import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct PurgeTransactionTests {
    @Test func `a purge with nothing to remove takes no transaction`() async throws {
        try await TemporaryDatabase.with { database in
            let commits = CommitCounter()
            let storage = DurableStorage(
                engine: CountingEngine(try database.open().engine, commits), auditor: .sample(node: "n"),
                time: .system)
            _ = try await storage.redeemSample("t")
            // A commit is counted right after its callers are told; the next turn on the writer comes after that.
            func counted() async -> Int {
                await withCheckedContinuation { turn in storage.engine.onWriter { _ in turn.resume() } }
                return commits.count
            }
            let before = await counted()
            try await Self.purge(storage, before: Visit.now)
            #expect(await counted() == before)
            try await Self.purge(storage, before: Visit.now + .seconds(86_400))
            #expect(await counted() > before)
            #expect(try await storage.session(id: "session-t") == nil)
        }
    }

    private static func purge(_ storage: DurableStorage, before cutoff: Timestamp) async throws {
        _ = try await storage.purgeLoginTokens(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgePushedRequests(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeSelfIssued(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeChallenges(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeCrossDevices(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeSessions(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeCodes(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeDeviceAuthorizations(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeAppSessions(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeDeviceSecrets(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeRevokedTokens(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeUses(expiredBefore: cutoff, limit: 10)
        try await storage.purgeAdminSessions(expiredBefore: cutoff)
    }
}
