import OAuth2
import Testing

@testable import Bridge

/// The client's field `access_token_signed_response_alg` (contract §5).
@Suite struct AccessTokenAlgorithmTests {
    /// Gives the provider a key of each algorithm.
    private func addKeys(to provider: Provider) throws -> [SigningAlgorithm: SigningKey] {
        var keys = [SigningAlgorithm.es256: provider.key]
        for algorithm in SigningAlgorithm.allCases where keys[algorithm] == nil {
            keys[algorithm] = try SigningKey.generate(algorithm)
        }
        provider.ring.replace(
            with: SigningKeyRing(
                keys.values.map {
                    SigningKeyRing.Entry(key: $0, signsFrom: Timestamp(seconds: 0), retiresAt: nil)
                }))
        return keys
    }

    private func algorithm(of token: Secret<String>) -> String? { CompactJWS(token.expose())?.algorithm }

    @Test(arguments: SigningAlgorithm.allCases)
    func `tokens of a sign-in are signed as their client says, and count`(algorithm: SigningAlgorithm) async throws {
        try await withProvider { provider in
            let key = try #require(try addKeys(to: provider)[algorithm])
            provider.service.change(app) { $0.accessTokenAlgorithm = algorithm }
            let token = try await provider.signIn().accessToken
            let jws = try #require(CompactJWS(token.expose()))
            #expect(jws.algorithm == algorithm.rawValue && jws.keyID == key.id && jws.type == "at+jwt")
            #expect(key.publicKey.verifies(jws))
            let now = provider.service.clock.now
            #expect(try await provider.accessTokens.active(token, at: now).subject == "alice")
            #expect(try await provider.introspect(token)["active"]?.bool == true)
        }
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func `no token is believed under another algorithm than its key's`(algorithm: SigningAlgorithm) async throws {
        try await withProvider { provider in
            _ = try addKeys(to: provider)
            provider.service.change(app) { $0.accessTokenAlgorithm = algorithm }
            let token = try await provider.signIn().accessToken
            let parts = token.expose().split(separator: ".").map(String.init)
            var header = try #require(CompactJWS(token.expose())).header
            for other in SignatureAlgorithm.allCases.map(\.rawValue) + ["none"] where other != algorithm.rawValue {
                header["alg"] = .string(other)
                let swapped = Base64URL.encode(Array(JSONValue.object(header).text.utf8))
                #expect(throws: BearerRefusal.badSignature, "\(other)") {
                    try provider.accessTokenCodec.verify(
                        Secret("\(swapped).\(parts[1]).\(parts[2])"), at: provider.service.clock.now)
                }
            }
        }
    }

    @Test func `a machine's token is signed as the machine's client says`() async throws {
        try await withProvider { provider in
            _ = try addKeys(to: provider)
            provider.service.change("machine") { $0.accessTokenAlgorithm = .rs256 }
            let machine = try await provider.token(
                [("grant_type", "client_credentials")],
                basic: .given(id: "machine", secret: Secret(provider.secret.expose())))
            #expect(algorithm(of: machine.accessToken) == "RS256")
        }
    }

    @Test func `after a change the next token is signed otherwise, and those of before go on`() async throws {
        try await withProvider { provider in
            _ = try addKeys(to: provider)
            let before = try await provider.signIn()
            #expect(algorithm(of: before.accessToken) == "ES256")
            provider.service.change(app) { $0.accessTokenAlgorithm = .edDSA }
            let after = try await provider.refresh(before.refreshToken)
            #expect(algorithm(of: after.accessToken) == "EdDSA")
            for token in [before.accessToken, after.accessToken] {
                #expect(
                    try await provider.accessTokens.active(token, at: provider.service.clock.now).subject == "alice")
            }
        }
    }

    @Test func `without a key of the algorithm there is no token, and no other key signs in its place`() async throws {
        try await withProvider { provider in
            provider.service.change("machine") { $0.accessTokenAlgorithm = .rs256 }
            await #expect(throws: StorageError.self) {
                try await provider.token(
                    [("grant_type", "client_credentials")],
                    basic: .given(id: "machine", secret: Secret(provider.secret.expose())))
            }
        }
    }

    @Test func `the access token among a web view's cookies is signed as the website says, renewed ones too`()
        async throws
    {
        try await withNativeProvider { native in
            _ = try addKeys(to: native.provider)
            native.service.change(NativeProvider.shop) { $0.accessTokenAlgorithm = .rs256 }
            let opened = try await native.exchange(
                try await native.signIn(), to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            #expect(algorithm(of: opened.accessToken) == "RS256")
            #expect(try await native.isActive(opened))
            let cookie = try #require(opened.cookies?.first { $0.name == "shop_refresh_token" })
            let secret = try #require(OpaqueSecret(cookie.value.expose(), kind: .sessionRefresh))
            let outcome = try await native.refreshing.refresh(
                secret, proof: AntiCSRF.value(for: secret).expose(), path: CookieTokens.refreshPath,
                cookies: .allowed, origin: origin())
            guard case .refreshed(_, let renewed, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(algorithm(of: renewed) == "RS256")
        }
    }
}
