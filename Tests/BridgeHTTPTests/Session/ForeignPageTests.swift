import Bridge
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

/// Pages of other origins that ask for something with their visitor's cookies (contract §6, §12).
@Suite struct ForeignPageTests {
    private static func told(_ bridge: TestBridge) async throws -> [AuditEvent] {
        try await bridge.storage.search(AuditFilter(type: .webSessionRefused), before: nil, limit: 50)
            .records.map(\.event)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `one that would sign its visitor out is told of, with whose session it would have been`(
        site: String
    ) async throws {
        try await TestBridge.run { bridge, client async throws in
            let cookie = try await client.signIn()
            let refused = try await client.post(
                [], [.cookie: cookie, .name("Sec-Fetch-Site"): site], to: "/session/logout")
            #expect(refused.status == .forbidden)
            let told = try await Self.told(bridge)
            #expect(told.map(\.reason) == ["foreign_page"] && told.map(\.subject) == ["alice"])
            #expect(told.first?.sessionID != nil && told.first?.targetClientID != nil)
            #expect(try await client.isSignedIn(cookie))
        }
    }

    @Test func `ten of them a minute are told of for one network, and those without a cookie name nobody`()
        async throws
    {
        try await TestBridge.run { bridge, client async throws in
            for _ in 0..<30 {
                let refused = try await client.post(
                    [], [.name("Sec-Fetch-Site"): "cross-site"], to: "/session/logout")
                #expect(refused.status == .forbidden)
            }
            let told = try await Self.told(bridge)
            #expect(told.count == 10)
            #expect(told.allSatisfy { $0.subject == nil && $0.sessionID == nil })
        }
    }

    @Test func `a page of our own that signs its visitor out is no refusal`() async throws {
        try await TestBridge.run { bridge, client async throws in
            let cookie = try await client.signIn()
            let answer = try await client.post(
                [], [.cookie: cookie, .name("Sec-Fetch-Site"): "same-origin"], to: "/session/logout")
            #expect(answer.status == .seeOther)
            #expect(try await Self.told(bridge).isEmpty)
        }
    }
}
