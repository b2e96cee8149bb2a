import HTTPTypes
import HummingbirdTesting
import Testing

@Suite struct AuditStreamTests {
    @Test func `HEAD opens no stream, however often it is asked, contract §8`() async throws {
        try await TestBridge.run { _, client in
            for _ in 0...50 {
                let answer = try await client.send(
                    .head, "/api/admin/audit-events/stream", [.authorization: "Bearer operator"])
                #expect(answer.status == .ok)
            }
        }
    }
}
