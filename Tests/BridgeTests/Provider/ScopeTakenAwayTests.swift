import OAuth2
import Testing

@testable import Bridge

/// A scope that was taken out of a client's document counts no longer, whenever it was granted (contract §5).
@Suite struct ScopeTakenAwayTests {
    private static let granted = "openid profile email offline_access"

    private func grant(_ provider: Provider, client: ClientID = app) throws -> AuthorizationGrant {
        try provider.grant(client: client, scope: Self.granted.split(separator: " ").map(String.init))
    }

    /// An administrator writes another scope into a client's document.
    private func give(_ scope: String, to client: ClientID = app, _ provider: Provider) {
        provider.service.change(client) { $0.scope = Scope(scope) ?? .empty }
    }

    @Test func `contract §5.2: a refresh gives what its client may have now, and what that was given back`()
        async throws
    {
        try await withProvider { provider in
            let whole = try await provider.signIn(try grant(provider))
            #expect(whole.scope == Scope(Self.granted))
            give("openid profile offline_access", provider)
            let cut = try await provider.refresh(whole.refreshToken)
            #expect(cut.scope == Scope("openid profile offline_access"))
            #expect(try claims(cut.accessToken)["scope"]?.string == "openid profile offline_access")
            give(Self.granted, provider)
            #expect(try await provider.refresh(cut.refreshToken).scope == Scope(Self.granted))
        }
    }

    @Test func `RFC 6749 §5.2: a refresh of which nothing is left is invalid_scope, and its token stays good`()
        async throws
    {
        try await withProvider { provider in
            let token = try await provider.signIn(try grant(provider)).refreshToken
            give("openid", provider)
            #expect(
                try await refusal { try await provider.refresh(token, scope: "email") }
                    == "invalid_scope scope_taken_away")
            give("phone", provider)
            #expect(try await refusal { try await provider.refresh(token) } == "invalid_scope scope_taken_away")
            give("openid", provider)
            #expect(try await provider.refresh(token).scope == Scope("openid"))
        }
    }

    @Test func `contract §5.2: a token older than the last ends its family where nothing of the grant is left, too`()
        async throws
    {
        try await withProvider { provider in
            let first = try await provider.signIn(try grant(provider)).refreshToken
            let second = try await provider.refresh(first).refreshToken
            let third = try await provider.refresh(second).refreshToken
            give("phone", provider)
            // A repeat is no theft, and gets no more than the one that it repeats.
            #expect(try await refusal { try await provider.refresh(second) } == "invalid_scope scope_taken_away")
            #expect(try await refusal { try await provider.refresh(first) } == "invalid_grant reused")
            give(Self.granted, provider)
            #expect(try await refusal { try await provider.refresh(third) } == "invalid_grant session_ended")
        }
    }

    @Test func `contract §5.1: a code opens no more than its client may have when it is redeemed`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try grant(provider))
            give("phone", provider)
            #expect(try await refusal { try await provider.redeem(code) } == "invalid_scope scope_taken_away")
            give("openid email", provider)
            let tokens = try await provider.redeem(code)
            #expect(tokens.scope == Scope("openid email"))
            // The session never had more.
            give(Self.granted, provider)
            #expect(try await provider.refresh(tokens.refreshToken).scope == Scope("openid email"))
        }
    }

    @Test func `RFC 7662 §2.2: introspection tells the scope that counts now`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try grant(provider, client: "rp"))
            let tokens = try await provider.redeem(code, client: nil, basic: provider.basic)
            let both = [tokens.accessToken, try #require(tokens.refreshToken)]
            for scope in [Self.granted, "openid offline_access", Self.granted] {
                give(scope, to: "rp", provider)
                for token in both { #expect(try await provider.introspect(token)["scope"]?.string == scope) }
            }
            let machine = try await provider.token(
                [("grant_type", "client_credentials")],
                basic: .given(id: "machine", secret: Secret(provider.secret.expose()))
            ).accessToken
            #expect(try await provider.introspect(machine)["scope"]?.string == "admin read")
            give("read", to: "machine", provider)
            #expect(try await provider.introspect(machine)["scope"]?.string == "read")
        }
    }

    @Test func `OpenID Connect Core §5.3: userinfo tells with a token of before what its client may ask for now`()
        async throws
    {
        try await withProvider(users: KnownUsers()) { provider in
            let token = try await provider.signIn(try grant(provider)).accessToken
            func told() async throws -> Set<String> {
                let info = try await provider.userInfo.claims(for: PresentedAccessToken(token: token))
                return Set(try #require(info.object).keys)
            }
            for (scope, names) in [
                (Self.granted, ["sub", "name", "email"]), ("openid email", ["sub", "email"]), ("phone", ["sub"]),
            ] {
                give(scope, provider)
                #expect(try await told() == Set(names))
            }
        }
    }
}
