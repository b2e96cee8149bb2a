import OAuth2
import Testing

@testable import Bridge

@Suite struct AccessTokenRFC9068Tests {
    @Test func `an access token has the type and the claims of the RFC`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken
            let jws = try #require(CompactJWS(token.expose()))
            #expect(jws.type == "at+jwt")
            #expect(jws.keyID == provider.key.id)
            let members = try claims(token)
            #expect(
                Set(members.keys) == [
                    "iss", "sub", "aud", "client_id", "iat", "exp", "jti", "scope", "sid", "auth_time", "acr", "amr",
                ])
            #expect(members["aud"]?.string == issuerName)
        }
    }

    @Test func `an ID token, a foreign token and an old one are refused by name`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            let now = provider.service.clock.now
            let codec = provider.accessTokenCodec
            let idToken = try #require(tokens.idToken)
            #expect(throws: BearerRefusal.wrongType) { try codec.verify(idToken, at: now) }
            #expect(throws: BearerRefusal.malformed) { try codec.verify(Secret("x.y"), at: now) }
            let other = AccessTokenCodec(issuer: "https://other.example", keys: provider.ring)
            #expect(throws: BearerRefusal.unknownIssuer) { try other.verify(tokens.accessToken, at: now) }
            #expect(throws: BearerRefusal.expired) { try codec.verify(tokens.accessToken, at: now + .seconds(900)) }
            let stranger = SigningKeyRing([
                .init(key: try SigningKey.generate(.es256), signsFrom: Timestamp(seconds: 0), retiresAt: nil)
            ])
            provider.ring.replace(with: stranger)
            #expect(throws: BearerRefusal.unknownKey) { try codec.verify(tokens.accessToken, at: now) }
        }
    }

    @Test func `only a token that has run out says whose it was`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken
            let now = provider.service.clock.now
            let later = now + .seconds(900)
            #expect(provider.accessTokens.expired(token, at: now) == nil)
            #expect(provider.accessTokens.expired(token, at: later)?.subject == "alice")
            var parts = token.expose().split(separator: ".").map(String.init)
            parts[2] = (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst()
            let forged = Secret(parts.joined(separator: "."))
            #expect(provider.accessTokens.expired(forged, at: later) == nil)
            #expect(provider.accessTokens.expired(Secret("x.y"), at: later) == nil)
        }
    }

    @Test func `a token whose key's time is over says whose it was, and one by a retired key nothing`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken
            let later = provider.service.clock.now + .seconds(86_400)
            let next = SigningKeyRing.Entry(
                key: try SigningKey.generate(.es256), signsFrom: Timestamp(seconds: 0), retiresAt: nil)
            provider.ring.replace(
                with: SigningKeyRing([
                    next, .init(key: provider.key, signsFrom: Timestamp(seconds: 0), retiresAt: later),
                ]))
            #expect(throws: BearerRefusal.unknownKey) { try provider.accessTokenCodec.verify(token, at: later) }
            #expect(provider.accessTokens.expired(token, at: later)?.subject == "alice")
            provider.ring.replace(with: SigningKeyRing([next]))
            #expect(provider.accessTokens.expired(token, at: later) == nil)
        }
    }

    @Test func `a changed claim breaks the signature`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken.expose()
            let parts = token.split(separator: ".").map(String.init)
            var members = try claims(Secret(token))
            members["sub"] = .string("mallory")
            let forged = "\(parts[0]).\(Base64URL.encode(Array(JSONValue.object(members).text.utf8))).\(parts[2])"
            #expect(throws: BearerRefusal.badSignature) {
                try provider.accessTokenCodec.verify(Secret(forged), at: provider.service.clock.now)
            }
        }
    }

    @Test func `as a bearer of our own API it stands for its session, and a machine's for nobody`() async throws {
        try await withProvider { provider in
            let bearers = LocalBearers(
                tokens: provider.accessTokens, subjects: provider.service.subjects, issuer: issuerName,
                others: NoOtherIssuers())
            let now = provider.service.clock.now
            let tokens = try await provider.signIn()
            let identity = try await bearers.authenticate(tokens.accessToken, at: now)
            #expect(identity.subject == "alice")
            #expect(identity.clientID == app)
            let sid = try claims(tokens.accessToken)["sid"]?.string
            #expect(identity.sessionID?.rawValue == sid)
            let machine = try await provider.token(
                [("grant_type", "client_credentials")],
                basic: .given(id: "machine", secret: Secret(provider.secret.expose())))
            let own = try await refusal { try await bearers.authenticate(machine.accessToken, at: now) }
            #expect(own == "clients_own_token")
            #expect(try await refusal { try await bearers.authenticate(Secret("other"), at: now) } == "unknown_issuer")
        }
    }
}
