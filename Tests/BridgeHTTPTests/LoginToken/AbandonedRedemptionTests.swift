import Bridge
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import NIOEmbedded
import OAuth2
import SQLStorage
import Testing

@testable import BridgeHTTP

/// Redemptions whose peer has closed the connection: not carried out, and no use of the token (ADR-0087).
@Suite struct AbandonedRedemptionTests {
    /// How a token comes.
    enum Way: String, CaseIterable, Sendable {
        case link, furtherPath, header, form

        func send(_ token: String, _ client: any TestClientProtocol, agent: String) async throws -> TestResponse {
            switch self {
            case .link: try await client.redeem(token, Visitor.navigation(agent: agent))
            case .furtherPath:
                try await client.send(
                    .get, "/user/login-with-token.php?token=\(token)", Visitor.navigation(agent: agent))
            case .header:
                try await client.send(
                    .get, "/login-with-token", [.userAgent: agent, .name("Drawbridge-Login-Token"): token])
            case .form: try await client.post([("token", token)], [.userAgent: agent])
            }
        }
    }

    /// Runs what comes over a connection that its peer has closed by then.
    private func abandoned<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let peer = ConnectedPeer(on: NIOAsyncTestingEventLoop())
        peer.leave()
        return try await ConnectedPeer.$current.withValue(peer) { try await body() }
    }

    private func events(_ bridge: TestBridge) async throws -> [String] {
        try await bridge.storage.search(AuditFilter(), before: nil, limit: 50).records.map(\.event.type.rawValue)
    }

    @Test(arguments: Way.allCases)
    func `a first use is refused, and the token stays good`(way: Way) async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let before = try await events(bridge)
            let refused = try await abandoned { try await way.send(token, client, agent: Visitor.browser) }
            #expect(refused.status == .badRequest)
            #expect(refused.headers[values: .setCookie].isEmpty)
            #expect(try await events(bridge) == before)
            #expect(try await way.send(token, client, agent: Visitor.browser).status == .seeOther)
        }
    }

    @Test(arguments: Way.allCases)
    func `nor is the token used for a peer who goes once the request was taken in`(way: Way) async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let before = try await events(bridge)
            let caller = WaitingCaller()
            caller.leave()
            let refused = try await WaitingCaller.$current.withValue(caller) {
                try await way.send(token, client, agent: Visitor.browser)
            }
            #expect(refused.status == .badRequest)
            #expect(refused.headers[values: .setCookie].isEmpty)
            #expect(try await events(bridge) == before)
            #expect(try await way.send(token, client, agent: Visitor.browser).status == .seeOther)
        }
    }

    @Test(arguments: Way.allCases)
    func `a second use ends nothing that the first one opened`(way: Way) async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let opened = try await client.redeem(token)
            let before = try await events(bridge)
            _ = try await abandoned { try await way.send(token, client, agent: Visitor.otherBrowser) }
            #expect(try await client.isSignedIn(opened.cookieHeader))
            #expect(try await events(bridge) == before)
        }
    }

    @Test func `attack: whoever closes one direction is told the same of good tokens, bad ones and used ones`()
        async throws
    {
        try await TestBridge.run { _, client in
            let good = try await client.issue().token
            let used = try await client.issue().token
            _ = try await client.redeem(used)
            var pages: Set<String> = []
            for token in [good, used, good.dropLast(4) + "AAAA", "abc"] {
                let answer = try await abandoned { try await client.redeem(String(token)) }
                let id = try #require(answer.headers[.name("X-Request-Id")])
                pages.insert("\(answer.status.code) \(answer.text.replacing(id, with: ""))")
            }
            #expect(pages.count == 1)
        }
    }

    @Test func `attack: after any number of them a thief's use is still seen`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let opened = try await client.redeem(token)
            for _ in 0..<20 {
                _ = try await abandoned {
                    try await client.redeem(token, Visitor.navigation(agent: Visitor.otherBrowser))
                }
            }
            _ = try await client.redeem(token, Visitor.navigation(agent: Visitor.otherBrowser))
            #expect(try await !client.isSignedIn(opened.cookieHeader))
            #expect(try await events(bridge).contains("login_token.replayed"))
        }
    }

    @Test func `an authorization request that brings a token uses none up either`() async throws {
        try await TestBridge.run { bridge, client in
            let callback = "https://app.example.com/callback"
            let uri = try RedirectURI(registering: callback, rules: RedirectURIRules(isNative: false))
            bridge.services.clients.change("web") { $0.redirectURIs = [uri] }
            let token = try await client.issue().token
            let address = AuthorizeURL.make("web", redirect: callback, more: "&login_token=\(token)")
            let refused = try await abandoned { try await client.send(.get, address, Visitor.navigation()) }
            #expect(refused.status == .badRequest)
            #expect(try await client.redeem(token).status == .seeOther)
        }
    }

    @Test func `what uses nothing up is answered to whoever has closed one direction`() async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn()
            let isAnswered = try await abandoned { try await client.isSignedIn(cookie) }
            #expect(isAnswered)
        }
    }
}
