import Bridge
import Testing

@testable import SQLStorage

/// Numbers that somebody else has written into a queue; the notifiers count on from them.
@Suite struct NoticeNumbersTests {
    private static let extremes: [Int64] = [.min, -1, 0, 1 << 40, .max]

    @Test(arguments: AuditStore.engines, extremes)
    func `whatever number of attempts is stored, a notice's own is between one and a thousand million and one`(
        _ engine: AuditStore.Engine, attempts: Int64
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try store.run(
                SQLStatement("INSERT INTO logout_notice VALUES ('a', 'web', 'alice', 's', 0, \(attempts), 0)"))
            try store.run(
                SQLStatement(
                    """
                    INSERT INTO webhook_notice (id, client_id, kind, subject, object_id, reason, ended_at, attempts,
                        next_attempt_at)
                    VALUES ('a', 'web', 'web_session.ended', 'alice', 's', 'r', 0, \(attempts), 0)
                    """))
            let now = store.clock.now
            let logout = try? await storage.takeLogoutNotices(dueAt: now, lease: .seconds(1), limit: 9, sparing: [])
            let webhook = try? await storage.takeWebhookNotices(dueAt: now, lease: .seconds(1), limit: 9, sparing: [])
            // PostgreSQL refuses to count beyond the last number; then nobody has a notice in hand.
            if attempts < .max || engine == .sqlite { #expect(logout?.count == 1 && webhook?.count == 1) }
            let taken = (logout ?? []).map(\.attempts) + (webhook ?? []).map(\.attempts)
            #expect(taken.allSatisfy { (1...1_000_000_001).contains($0) })
        }
    }
}
