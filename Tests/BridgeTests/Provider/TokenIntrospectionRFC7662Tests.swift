import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

private struct OneUser: UserClaimsSource {
    func claims(of subject: Subject) -> [String: JSONValue] {
        ["preferred_username": .string("alice"), "name": .string("Alice"), "email": .string("alice@example.com")]
    }
}

@Suite struct TokenIntrospectionRFC7662Tests {
    private func introspect(_ provider: Provider, _ token: Secret<String>?) async throws -> [String: JSONValue] {
        try await provider.introspect(try #require(token))
    }

    @Test func `an active access token is described`() async throws {
        try await withProvider(users: OneUser()) { provider in
            let facts = try await introspect(provider, provider.signIn().accessToken)
            #expect(facts["active"]?.bool == true)
            #expect(facts["username"]?.string == "alice")
            #expect(facts["client_id"]?.string == "app")
            #expect(facts["token_type"]?.string == "Bearer")
        }
    }

    @Test func `whatever does not count is inactive and nothing more`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            let inactive: [String: JSONValue] = ["active": .bool(false)]
            #expect(try await introspect(provider, Secret("nonsense")) == inactive)
            #expect(try await introspect(provider, tokens.idToken) == inactive)
            // Of another client.
            #expect(try await introspect(provider, tokens.refreshToken) == inactive)
            provider.service.clock.advance(.seconds(900))
            #expect(try await introspect(provider, tokens.accessToken) == inactive)
        }
    }

    @Test func `a client that was removed has no tokens that count, the moment it is gone`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken
            #expect(try await introspect(provider, token)["active"]?.bool == true)
            provider.service.clients.remove(app)
            #expect(try await introspect(provider, token) == ["active": .bool(false)])
            #expect(
                try await refusal {
                    try await provider.userInfo.claims(for: PresentedAccessToken(token: token))
                } == "inactive")
        }
    }

    @Test func `a client sees its own refresh token until a session ends`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant(client: "rp"))
            let tokens = try await provider.redeem(code, client: nil, basic: provider.basic)
            #expect(try await introspect(provider, tokens.refreshToken)["token_type"]?.string == "refresh_token")
            let sid = try #require(try claims(tokens.accessToken)["sid"]?.string)
            try await provider.service.endings.end(
                .appSession(SessionID(rawValue: sid)), .sample(at: provider.service.clock.now))
            #expect(try await introspect(provider, tokens.refreshToken) == ["active": .bool(false)])
            #expect(try await introspect(provider, tokens.accessToken) == ["active": .bool(false)])
        }
    }

    @Test func `a refresh token that was replaced is inactive, and its successor is active until it runs out`()
        async throws
    {
        try await withProvider { provider in
            // Else another client's refresh token is none of its business.
            provider.service.change("rp") { $0.scope = Scope(tokens: [Scope.admin]) }
            let inactive: [String: JSONValue] = ["active": .bool(false)]
            let old = try await provider.signIn().refreshToken
            #expect(try await introspect(provider, old)["active"]?.bool == true)
            let new = try await provider.refresh(old).refreshToken
            #expect(try await introspect(provider, old) == inactive)
            let facts = try await introspect(provider, new)
            #expect(facts["active"]?.bool == true && facts["token_type"]?.string == "refresh_token")
            let end = Timestamp(seconds: try #require(facts["exp"]?.integer))
            provider.service.clock.advance(end - provider.service.clock.now - .milliseconds(1))
            #expect(try await introspect(provider, new)["active"]?.bool == true)
            provider.service.clock.advance(.milliseconds(1))
            #expect(try await introspect(provider, new) == inactive)
        }
    }

    @Test func `a client that may ask about its own tokens learns nothing of others`() async throws {
        try await withProvider { provider in
            let other = try await provider.signIn().accessToken
            let code = try await provider.code(try provider.grant(client: "rp"))
            let own = try await provider.redeem(code, client: nil, basic: provider.basic).accessToken
            #expect(try await introspect(provider, other)["active"]?.bool == true)
            provider.service.change("rp") { $0.introspection = .own }
            #expect(try await introspect(provider, other) == ["active": .bool(false)])
            #expect(try await introspect(provider, own)["active"]?.bool == true)
        }
    }

    @Test(arguments: [
        (Client.Introspection.own, ["openid"], nil), (.own, ["openid", "profile"], "alice"),
        (.any, ["openid"], "alice"),
    ])
    func `a client that may ask about its own tokens is told a name that their scope opens`(
        _ introspection: Client.Introspection, _ scope: [String], _ name: String?
    ) async throws {
        try await withProvider(users: OneUser()) { provider in
            provider.service.change("rp") { $0.introspection = introspection }
            let code = try await provider.code(try provider.grant(client: "rp", scope: scope))
            let token = try await provider.redeem(code, client: nil, basic: provider.basic).accessToken
            let facts = try await introspect(provider, token)
            #expect(facts["active"]?.bool == true)
            #expect(facts["username"]?.string == name)
        }
    }

    @Test func `a public client may not ask, and the log says who tried`() async throws {
        try await withProvider { provider in
            let form = try Provider.parameters([("token", "x"), ("client_id", "app")])
            let found = try await refusal {
                try await provider.introspection.answer(form, basic: .absent, origin: origin())
            }
            #expect(found == "invalid_client public_client")
            let events = try await provider.service.storage.search(
                AuditFilter(type: .tokenRequestRefused), before: nil, limit: 5
            ).records.map(\.event)
            #expect(events.map(\.reason) == ["public_client"] && events.map(\.clientID) == ["app"])
        }
    }

    @Test func `userinfo opens what scope and request ask for`() async throws {
        try await withProvider(users: OneUser()) { provider in
            let profile = try await provider.signIn()
            #expect(
                try await provider.userInfo.claims(for: PresentedAccessToken(token: profile.accessToken))
                    == .object([
                        "sub": .string("alice"), "name": .string("Alice"), "preferred_username": .string("alice"),
                    ]))
            let bare = try await provider.signIn(try provider.grant(scope: ["openid"]))
            #expect(
                try await provider.userInfo.claims(for: PresentedAccessToken(token: bare.accessToken))
                    == .object(["sub": .string("alice")]))
            let none = try await provider.signIn(try provider.grant(scope: ["profile"]))
            #expect(
                try await refusal {
                    try await provider.userInfo.claims(for: PresentedAccessToken(token: none.accessToken))
                }
                    == "insufficient_scope ")
        }
    }
}
