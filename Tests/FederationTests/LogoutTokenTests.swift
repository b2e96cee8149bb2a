import Bridge
import Crypto
import Federation
import HTTPTypes
import OAuth2
import Testing

/// A provider with one key, and the logout tokens that it makes.
private struct LogoutDesk: Sendable {
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    let server: IssuerServer
    let issuer: String
    let key = ECKey(keyID: "k1")
    let provider: OpenIDProvider

    /// - Parameter path: the issuer's, behind its origin.
    init(
        _ server: IssuerServer, _ origin: String, path: String = "", clientID: String = "drawbridge"
    ) throws {
        self.server = server
        issuer = origin + path
        provider = try #require(
            OpenIDProvider(
                UpstreamProviderSettings(
                    id: "other", name: "Other", issuer: issuer, clientID: clientID, clientSecret: Secret("s")),
                limits: FetchLimits(timeout: .seconds(60)), logger: quiet))
        server.answer(
            path + "/.well-known/openid-configuration",
            json: TestToken.json([
                "issuer": issuer, "authorization_endpoint": origin + "/authorize", "token_endpoint": origin + "/token",
                "jwks_uri": origin + "/keys",
            ]))
        server.answer("/keys", json: keySet([key.jwk()]))
    }

    func token(
        _ changes: [String: any Sendable] = [:], without: Set<String> = [], type: String? = "logout+jwt",
        algorithm: String = "ES256", more: [String: any Sendable] = [:], by signer: ECKey? = nil
    ) throws -> String {
        var claims: [String: any Sendable] = [
            "iss": issuer, "aud": "drawbridge", "sub": "77", "sid": "s1", "jti": "t1",
            "iat": TestToken.now.seconds, "exp": TestToken.now.seconds + 120,
            "events": [Self.event: [String: String]()],
        ]
        claims.merge(changes) { $1 }
        for name in without { claims[name] = nil }
        let signer = signer ?? key
        var header: [String: any Sendable] = ["alg": algorithm]
        header["typ"] = type
        header["kid"] = signer.keyID
        header.merge(more) { $1 }
        let input = TestToken.unsigned(header: header, claims: claims)
        let signature = try signer.key.signature(for: Array(input.utf8))
        return input + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }

    /// - Returns: `nil` for a token that counts.
    func refusal(of token: String, at now: Timestamp = TestToken.now) async throws -> LogoutTokenRefusal? {
        do {
            _ = try await provider.logoutToken(token, at: now)
            return nil
        } catch let refusal as LogoutTokenRefusal {
            return refusal
        }
    }
}

/// What OpenID Connect Back-Channel Logout 1.0 §2.6 has a receiver check, one by one.
@Suite struct LogoutTokenTests {
    private let now = TestToken.now

    private func run(_ body: @Sendable (LogoutDesk) async throws -> Void) async throws {
        try await IssuerServer.run { server, origin in try await body(LogoutDesk(server, origin)) }
    }

    @Test func `§2.4: a logout token says who has left, by name, by session or by both`() async throws {
        try await run { [now] desk async throws in
            let both = try await desk.provider.logoutToken(desk.token(), at: now)
            #expect(
                both
                    == LogoutToken(
                        issuer: desk.issuer, reach: .session("s1", of: "77"), id: "t1", madeAfter: now - .seconds(30),
                        usableUntil: now + .seconds(150)))
            let named = try await desk.provider.logoutToken(desk.token(without: ["sid"]), at: now)
            #expect(named.reach == .user("77"))
            let unnamed = try await desk.provider.logoutToken(desk.token(without: ["sub"]), at: now)
            #expect(unnamed.reach == .session("s1", of: nil))
        }
    }

    @Test func `§2.6: what another key signed does not count, whatever it calls itself`() async throws {
        try await run { desk async throws in
            #expect(try await desk.refusal(of: desk.token(by: ECKey(keyID: "k1"))) == .badSignature)
            // A key of which nobody has heard may have come since the set was fetched.
            #expect(try await desk.refusal(of: desk.token(by: ECKey(keyID: "k2"))) == .unknownKey)
        }
    }

    @Test func `§2.6: none and shared secrets are no signatures of a provider`() async throws {
        try await run { desk async throws in
            for algorithm in ["none", "None", "HS256", "ES512"] {
                #expect(try await desk.refusal(of: desk.token(algorithm: algorithm)) == .wrongAlgorithm)
            }
            let parts = try desk.token(algorithm: "none").split(separator: ".")
            #expect(try await desk.refusal(of: "\(parts[0]).\(parts[1]).") == .wrongAlgorithm)
            #expect(try await desk.refusal(of: "token") == .malformed)
        }
    }

    @Test func `RFC 9864: a provider may call EdDSA Ed25519, at its key and in its tokens`() async throws {
        try await run { desk async throws in
            let key = Curve25519.Signing.PrivateKey()
            let point = Base64URL.encode(Array(key.publicKey.rawRepresentation))
            desk.server.answer(
                "/keys",
                json: keySet([["kty": "OKP", "crv": "Ed25519", "alg": "Ed25519", "kid": "e", "x": point]]))
            let parts = try desk.token(algorithm: "Ed25519", more: ["kid": "e"]).split(separator: ".")
            let input = "\(parts[0]).\(parts[1])"
            let token = input + "." + Base64URL.encode(Array(try key.signature(for: Array(input.utf8))))
            #expect(try await desk.refusal(of: token) == nil)
            #expect(try await desk.refusal(of: desk.token(algorithm: "Ed448", more: ["kid": "e"])) == .wrongAlgorithm)
        }
    }

    @Test func `§2.4: a type is a logout token's, or none, or says nothing`() async throws {
        try await run { desk async throws in
            for type in ["logout+jwt", "application/logout+jwt", "Logout+JWT", "JWT", nil] {
                #expect(try await desk.refusal(of: desk.token(type: type)) == nil)
            }
            for type in ["at+jwt", "secevent+jwt", "dpop+jwt"] {
                #expect(try await desk.refusal(of: desk.token(type: type)) == .wrongType)
            }
            #expect(try await desk.refusal(of: desk.token(more: ["crit": ["exp"]])) == .wrongType)
        }
    }

    @Test func `§2.6: another issuer's token does not count, and has no keys fetched`() async throws {
        try await run { desk async throws in
            for issuer in ["https://evil.example", desk.issuer + "/"] {
                #expect(try await desk.refusal(of: desk.token(["iss": issuer])) == .wrongIssuer)
            }
            #expect(try await desk.refusal(of: desk.token(without: ["iss"])) == .wrongIssuer)
            #expect(desk.server.count(of: "/keys") == 0)
        }
    }

    @Test func `§2.6: a token for another client does not count`() async throws {
        try await run { desk async throws in
            #expect(try await desk.refusal(of: desk.token(["aud": "somebody"])) == .wrongAudience)
            #expect(try await desk.refusal(of: desk.token(["aud": ["drawbridge", "somebody"]])) == .wrongAudience)
            #expect(try await desk.refusal(of: desk.token(without: ["aud"])) == .wrongAudience)
            #expect(try await desk.refusal(of: desk.token(["aud": ["drawbridge"]])) == nil)
        }
    }

    @Test func `§2.6: a name of other bytes is another name, however Unicode compares it`() async throws {
        try await IssuerServer.run { server, origin in
            let desk = try LogoutDesk(server, origin, path: "/K", clientID: "Kiosk")
            // The Kelvin sign is canonically equivalent to the letter K: Swift calls the two strings equal.
            let lookalike = "\u{212A}iosk"
            #expect(try await desk.refusal(of: desk.token(["aud": "Kiosk"])) == nil)
            let otherIssuer = try desk.token(["aud": "Kiosk", "iss": origin + "/\u{212A}"])
            #expect(try await desk.refusal(of: otherIssuer) == .wrongIssuer)
            #expect(try await desk.refusal(of: desk.token(["aud": lookalike])) == .wrongAudience)
            let otherParty = try desk.token(["aud": ["Kiosk", "somebody"], "azp": lookalike])
            #expect(try await desk.refusal(of: otherParty) == .wrongAudience)
        }
    }

    @Test func `§2.6: a token counts until it expires, with the leeway`() async throws {
        try await run { [now] desk async throws in
            let token = try desk.token(["exp": now.seconds + 10])
            #expect(try await desk.refusal(of: token, at: now + .milliseconds(39_999)) == nil)
            #expect(try await desk.refusal(of: token, at: now + .seconds(40)) == .expired)
            #expect(try await desk.refusal(of: desk.token(without: ["exp"])) == .expired)
        }
    }

    @Test func `§2.6: a token of the future does not count, nor one of more than two minutes ago`() async throws {
        try await run { [now] desk async throws in
            #expect(try await desk.refusal(of: desk.token(["iat": now.seconds + 30])) == nil)
            #expect(try await desk.refusal(of: desk.token(["iat": now.seconds + 31])) == .notYetValid)
            #expect(try await desk.refusal(of: desk.token(without: ["iat"])) == .notYetValid)
            let lasting = try desk.token(["exp": now.seconds + 3600])
            #expect(try await desk.refusal(of: lasting, at: now + .milliseconds(149_999)) == nil)
            #expect(try await desk.refusal(of: lasting, at: now + .seconds(150)) == .tooOld)
        }
    }

    @Test func `§2.6: without the event that is a sign-out it is no logout token`() async throws {
        try await run { desk async throws in
            let events: [any Sendable] = [
                [String: String](), ["https://example.com/another": [String: String]()], [LogoutDesk.event: "yes"],
                [LogoutDesk.event: true], [LogoutDesk.event: [String]()], [LogoutDesk.event], LogoutDesk.event,
            ]
            for event in events {
                #expect(try await desk.refusal(of: desk.token(["events": event])) == .noEvent)
            }
            #expect(try await desk.refusal(of: desk.token(without: ["events"])) == .noEvent)
            let more = [LogoutDesk.event: ["reason": "idle"], "https://example.com/another": [String: String]()]
            #expect(try await desk.refusal(of: desk.token(["events": more])) == nil)
        }
    }

    @Test func `§2.6: a token with a nonce is an ID token`() async throws {
        try await run { desk async throws in
            #expect(try await desk.refusal(of: desk.token(["nonce": "n"])) == .hasNonce)
            #expect(try await desk.refusal(of: desk.token(["nonce": ""])) == .hasNonce)
        }
    }

    @Test func `§2.6: a token names somebody, and by a name`() async throws {
        try await run { desk async throws in
            #expect(try await desk.refusal(of: desk.token(without: ["sub", "sid"])) == .nobodyNamed)
            for claim in ["sub", "sid"] {
                #expect(try await desk.refusal(of: desk.token([claim: ""])) == .malformed)
                #expect(try await desk.refusal(of: desk.token([claim: 7])) == .malformed)
                #expect(try await desk.refusal(of: desk.token([claim: "a\u{0}b"])) == .malformed)
            }
        }
    }

    @Test func `§2.6: a token has an id by which it counts once`() async throws {
        try await run { [now] desk async throws in
            #expect(try await desk.refusal(of: desk.token(without: ["jti"])) == .withoutID)
            #expect(try await desk.refusal(of: desk.token(["jti": ""])) == .withoutID)
            #expect(try await desk.refusal(of: desk.token(["jti": 7])) == .withoutID)
            let one = try await desk.provider.logoutToken(desk.token(), at: now)
            let other = try await desk.provider.logoutToken(desk.token(["jti": "t2"]), at: now)
            #expect(one.digest != other.digest)
        }
    }

    @Test func `§2.6: while the keys are away nothing is decided, and later the token counts`() async throws {
        try await run { [now] desk async throws in
            let keys = keySet([desk.key.jwk()])
            desk.server.answer("/keys", with: .init(status: .internalServerError))
            let token = try desk.token()
            await #expect {
                _ = try await desk.provider.logoutToken(token, at: now)
            } throws: { error in
                if case StorageError.unavailable = error { true } else { false }
            }
            desk.server.answer("/keys", json: keys)
            #expect(try await desk.refusal(of: token, at: now + .seconds(31)) == nil)
        }
    }
}
