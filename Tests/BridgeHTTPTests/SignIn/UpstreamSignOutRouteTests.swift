import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// `POST /sign-in/logout/{provider}` (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8).
@Suite struct UpstreamSignOutRouteTests {
    private static let path = "/sign-in/logout/corporate"

    /// Sent by a server, which has no browser's header fields.
    private func send(
        _ fields: [(String, String)], to path: String = Self.path, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await client.post(fields, [:], to: path)
    }

    @Test func `§2.8: a token that counts is 200 without a body, once, and no answer is kept`() async throws {
        try await TestBridge.run { bridge, client async throws in
            let taken = try await send([("logout_token", TestUpstream.left)], client)
            #expect(taken.status == .ok)
            #expect(taken.text.isEmpty)
            #expect(taken.headers[.cacheControl] == "no-store")
            let again = try await send([("logout_token", TestUpstream.left)], client)
            #expect(again.status == .badRequest)
            #expect(again.headers[.cacheControl] == "no-store")
            #expect(again.text.contains(#""error":"invalid_request""#))
        }
    }

    @Test func `§2.8: a token that does not count is 400, as is none, two, or a body that is no form`() async throws {
        try await TestBridge.run { _, client async throws in
            let forms: [[(String, String)]] = [
                [("logout_token", "forged")], [], [("logout_token", "")],
                [("logout_token", TestUpstream.left), ("logout_token", TestUpstream.left)],
            ]
            for form in forms {
                let answer = try await send(form, client)
                #expect(answer.status == .badRequest)
                #expect(answer.headers[.cacheControl] == "no-store")
                #expect(answer.headers[.contentType] == "application/json")
            }
            let json = try await client.send(
                .post, Self.path, [.contentType: "application/json"], body: #"{"logout_token":"alice has left"}"#)
            #expect(json.status == .badRequest)
            let large = try await send([("logout_token", String(repeating: "a", count: 16 * 1024))], client)
            #expect(large.status == .contentTooLarge)
            // None of it used the good one up.
            #expect(try await send([("logout_token", TestUpstream.left)], client).status == .ok)
        }
    }

    @Test func `what cannot be decided now is 503, and may be sent again`() async throws {
        try await TestBridge.run { _, client async throws in
            let answer = try await send([("logout_token", TestUpstream.undecided)], client)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[values: .retryAfter].count == 1)
        }
    }

    @Test func `a provider that is not configured is 404, and a page's link is no sign-out`() async throws {
        try await TestBridge.run { _, client async throws in
            let answer = try await send([("logout_token", TestUpstream.left)], to: "/sign-in/logout/nobody", client)
            #expect(answer.status == .notFound)
            #expect(try await client.send(.get, Self.path).status == .methodNotAllowed)
        }
    }

    @Test func `what came of the sign-in there ends, and nothing else`() async throws {
        try await TestBridge.run { bridge, client async throws in
            for (name, user) in [("ours", "alice"), ("others", "bob")] {
                let session = WebSession(
                    id: SessionID(rawValue: name), secretDigest: name,
                    lineage: .signIn(
                        of: Subject(rawValue: user), authentication: Authentication(), at: bridge.clock.now,
                        lifetime: .seconds(3600)),
                    clientID: "web", createdAt: bridge.clock.now, idleLifetime: .seconds(600),
                    lastSeenAt: bridge.clock.now)
                _ = try await bridge.storage.open(
                    session, replacing: nil,
                    provenBy: .upstream(UpstreamSession(issuer: TestUpstream.issuer, subject: user, session: nil)),
                    events: [])
            }
            #expect(try await send([("logout_token", TestUpstream.left)], client).status == .ok)
            #expect(try await bridge.storage.session(id: "ours")?.endedAt == bridge.clock.now)
            #expect(try await bridge.storage.session(id: "others")?.endedAt == nil)
        }
    }
}
