import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// The `claims` parameter (OpenID Connect Core §5.5): what by scope would not be told, by name is not told either.
@Suite struct RequestedClaimsCoreTests {
    private static let all = RequestedClaims(userInfo: ["email", "name"], idToken: ["email", "name", "groups"])

    /// What ID token and userinfo tell besides `sub` after a grant of `openid` alone.
    private func told(
        _ provider: Provider, in browser: SessionID? = nil
    ) async throws -> (idToken: Set<String>, userInfo: Set<String>) {
        let grant = try provider.grant(scope: [Scope.openID], browser: browser, requestedClaims: Self.all)
        let tokens = try await provider.signIn(grant)
        let info = try await provider.userInfo.claims(for: PresentedAccessToken(token: tokens.accessToken))
        func personal(_ claims: [String: JSONValue]) -> Set<String> {
            Set(claims.keys).intersection(["email", "name", "groups"])
        }
        return (personal(try claims(tokens.idToken)), personal(try #require(info.object)))
    }

    /// Opens a browser's session that may hand on no more than this.
    private func open(_ id: SessionID, limitedTo scope: Scope, _ provider: Provider) async throws {
        let now = provider.service.clock.now
        let session = WebSession(
            id: id, secretDigest: "digest of \(id)", subject: "alice", clientID: website, appClientID: app,
            parentID: nil, loginTokenID: nil, opening: .loginToken, scope: scope,
            authentication: Authentication(time: now, acr: "aal1", amr: ["pwd"]), createdAt: now,
            expiresAt: now + .seconds(3600), idleLifetime: .seconds(3600), lastSeenAt: now)
        _ = try await provider.service.storage.open(session, replacing: nil, events: [])
    }

    @Test func `a sign-in of the person's own tells what is asked for by name, without its scope`() async throws {
        try await withProvider(users: KnownUsers()) { provider in
            let told = try await told(provider)
            #expect(told.idToken == ["email", "name"] && told.userInfo == ["email", "name"])
        }
    }

    @Test func `a session that came over an edge tells by name what its app was granted, and no more`() async throws {
        try await withProvider(users: KnownUsers()) { provider in
            try await open("bare", limitedTo: Scope(tokens: [Scope.openID]), provider)
            let bare = try await told(provider, in: "bare")
            #expect(bare.idToken.isEmpty && bare.userInfo.isEmpty)
            try await open("mail", limitedTo: Scope(tokens: [Scope.openID, "email"]), provider)
            let mail = try await told(provider, in: "mail")
            #expect(mail.idToken == ["email"] && mail.userInfo == ["email"])
        }
    }

    @Test func `what the client lost since its request is not told by name`() async throws {
        try await withProvider(users: KnownUsers()) { provider in
            provider.service.change(app) { $0.scope = Scope(tokens: [Scope.openID, "email"]) }
            let told = try await told(provider)
            #expect(told.idToken == ["email"] && told.userInfo == ["email"])
        }
    }

    @Test func `what is asked for by name is told as well where an answer has no device secret`() async throws {
        try await withProvider(users: KnownUsers()) { provider in
            provider.service.change(app) { $0.isNativeSSOEnabled = true }
            let grant = try provider.grant(scope: [Scope.openID, Scope.deviceSSO], requestedClaims: Self.all)
            let tokens = try await provider.signIn(grant)
            #expect(tokens.scope == Scope(tokens: [Scope.openID]))
            #expect(try Set(claims(tokens.idToken).keys).isSuperset(of: ["email", "name"]))
            let info = try await provider.userInfo.claims(for: PresentedAccessToken(token: tokens.accessToken))
            #expect(try Set(#require(info.object).keys) == ["sub", "email", "name"])
        }
    }

    @Test func `a token that was narrowed tells by name no more than by scope`() async throws {
        try await withProvider(users: KnownUsers()) { provider in
            let grant = try provider.grant(
                scope: [Scope.openID, "profile", Scope.offlineAccess], requestedClaims: Self.all)
            let tokens = try await provider.signIn(grant)
            let whole = try await provider.refresh(tokens.refreshToken)
            #expect(try claims(whole.idToken).keys.contains("email"))
            let narrowed = try await provider.refresh(whole.refreshToken, scope: "openid")
            #expect(try !claims(narrowed.idToken).keys.contains("email"))
            let info = try await provider.userInfo.claims(for: PresentedAccessToken(token: narrowed.accessToken))
            #expect(try Set(#require(info.object).keys) == ["sub"])
        }
    }
}
