import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct DeviceSecretWithoutOpenIDTests {
    private static let scope = [Scope.offlineAccess, Scope.deviceSSO]

    private func hash(of secret: Secret<String>?) throws -> String {
        try #require(secret.flatMap { OpaqueSecret($0.expose(), kind: .deviceSecret) }).deviceSecretHash
    }

    @Test func `contract §5.1: device_sso alone gives a secret and an ID token that fits it`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn(scope: Self.scope)
            let identity = try claims(tokens.idToken)
            #expect(try identity["ds_hash"]?.string == hash(of: tokens.deviceSecret))
            #expect(try identity["sid"] == claims(tokens.accessToken)["sid"])
            #expect(identity["aud"]?.string == "photos")
            #expect(identity["nonce"]?.string == "n")
        }
    }

    @Test func `contract §5.4: what device_sso alone gave opens another app, which gets an ID token as well`()
        async throws
    {
        try await withNativeProvider { native in
            let first = try await native.signIn(scope: Self.scope)
            let second = try await native.exchange(first)
            #expect(try await native.isActive(second))
            #expect(try claims(second.idToken)["ds_hash"]?.string == hash(of: first.deviceSecret))
        }
    }

    @Test func `contract §5.2: a refresh for device_sso alone gives both, one for less gives neither`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            func refresh(_ tokens: TokenResponse, for scope: String) async throws -> TokenResponse {
                native.clock.advance(.seconds(60))
                return try await native.post([
                    ("grant_type", "refresh_token"), ("client_id", "photos"), ("scope", scope),
                    ("refresh_token", try #require(tokens.refreshToken).expose()),
                ])
            }
            let second = try await refresh(first, for: Scope.deviceSSO)
            #expect(second.deviceSecret != nil)
            #expect(try claims(second.idToken)["ds_hash"]?.string == hash(of: second.deviceSecret))
            let third = try await refresh(second, for: Scope.offlineAccess)
            #expect(third.deviceSecret == nil)
            #expect(third.idToken == nil)
        }
    }

    @Test func `contract §5.2: a session keeps device_sso while its client may not have it`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            native.service.change(NativeProvider.photos) { $0.isNativeSSOEnabled = false }
            let without = try await native.refresh(first)
            #expect(without.deviceSecret == nil)
            #expect(without.scope == Scope("openid profile offline_access"))
            native.service.change(NativeProvider.photos) { $0.isNativeSSOEnabled = true }
            native.clock.advance(.seconds(60))
            let again = try await native.refresh(without)
            #expect(again.deviceSecret != nil)
            #expect(again.scope == Scope("openid profile offline_access device_sso"))
        }
    }

    @Test func `OpenID Connect Core §3.1.2.1: without openid and without a secret there is no ID token`() async throws {
        try await withNativeProvider { native async throws in
            #expect(try await native.signIn(scope: [Scope.offlineAccess]).idToken == nil)
        }
        try await withNativeProvider([.enabled: .flag(false)]) { native async throws in
            #expect(try await native.signIn(scope: Self.scope).idToken == nil)
        }
    }

    @Test(arguments: [true, false])
    func `OpenID Connect Core §3.1.2.1: an ID token that only a secret needs tells nothing of its user`(
        isOpenID: Bool
    ) async throws {
        try await withProvider { provider in
            let now = provider.service.clock.now
            let scope = Scope(tokens: (isOpenID ? [Scope.openID] : []) + [Scope.deviceSSO, "email", UserGroups.claim])
            let session = AppSession(
                id: "sid", subject: "alice", clientID: app, scope: scope, opening: .authorize,
                authentication: Authentication(), requestedClaims: RequestedClaims(userInfo: [], idToken: ["email"]),
                createdAt: now, expiresAt: now + .seconds(3600))
            let secret = OpaqueSecret.make(.deviceSecret, random: .system)
            let tokens = SessionTokens(
                accessTokens: provider.accessTokenCodec, idTokens: provider.idTokens, users: KnownUsers())
            let client = try #require(provider.service.clients.current[app])
            let answer = try await tokens.answer(
                for: session, client: client, scope: scope,
                extras: .init(deviceSecret: AttachedDeviceSecret(secret, isTold: true)), at: now)
            let identity = try claims(answer.idToken)
            #expect(try identity["ds_hash"]?.string == hash(of: answer.deviceSecret))
            #expect((identity["email"] != nil) == isOpenID)
            #expect((identity[UserGroups.claim] != nil) == isOpenID)
        }
    }
}
