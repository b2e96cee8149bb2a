import Testing

@testable import Bridge
@testable import OAuth2

/// Which bearers are taken for our own; every other is left to the other issuers, whatever its header says.
@Suite struct OwnBearersTests {
    /// Whom the others' issuer vouches for; it finds every bearer good.
    private static let others = "https://backend.example"

    /// The issuer that a token is accepted as one of, or why it is refused.
    private func found(_ token: String, in provider: Provider, after delay: Duration = .zero) async throws -> String {
        let bearers = LocalBearers(
            tokens: provider.accessTokens, subjects: provider.service.subjects, issuer: issuerName,
            others: OneBearer(identity: provider.service.bearer()))
        do {
            return try await bearers.authenticate(Secret(token), at: provider.service.clock.now + delay).issuer
        } catch let refusal as BearerRefusal {
            return refusal.reason.rawValue
        }
    }

    private func sign(_ claims: [String: JSONValue], header: String, with key: SigningKey) throws -> String {
        let parts = [header, JSONValue.object(claims).text].map { Base64URL.encode(Array($0.utf8)) }
        let message = parts.joined(separator: ".")
        return message + "." + Base64URL.encode(try key.signature(for: Array(message.utf8)))
    }

    private func header(_ key: SigningKey, type: String = "at+jwt", more: String = "") -> String {
        #"{"alg":"ES256","typ":"\#(type)","kid":"\#(key.id)"\#(more)}"#
    }

    @Test(arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
    func `a token of ours is ours, however its type is spelled`(type: String) async throws {
        try await withProvider { provider in
            let claims = try claims(try await provider.signIn().accessToken)
            let token = try sign(claims, header: header(provider.key, type: type), with: provider.key)
            // The second time it was verified before.
            for _ in 0..<2 { #expect(try await found(token, in: provider) == issuerName) }
        }
    }

    @Test func `what is not rightly written is not ours, though its header has our type`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken.expose()
            for text in [token + "=", token + ".", token + ".AA", String(token.dropLast()) + "B", token + " "] {
                #expect(try await found(text, in: provider) == Self.others, "\(text.suffix(4))")
                #expect(!provider.accessTokens.saysItIsOurs(Secret(text)), "\(text.suffix(4))")
            }
        }
    }

    @Test func `what has critical extensions is not ours, though we signed it`() async throws {
        try await withProvider { provider in
            let claims = try claims(try await provider.signIn().accessToken)
            let header = header(provider.key, more: #","crit":["b64"],"b64":true"#)
            let token = try sign(claims, header: header, with: provider.key)
            #expect(try await found(token, in: provider) == Self.others)
        }
    }

    @Test(arguments: [(10_000, true), (13_000, false)])
    func `what is longer than a token of ours is read is not ours`(count: Int, isOurs: Bool) async throws {
        try await withProvider { provider in
            var claims = try claims(try await provider.signIn().accessToken)
            claims["filler"] = .string(String(repeating: "x", count: count))
            let token = try sign(claims, header: header(provider.key), with: provider.key)
            #expect((token.utf8.count <= CompactJWS.maximumLength) == isOurs)
            #expect(try await found(token, in: provider) == (isOurs ? issuerName : Self.others))
        }
    }

    @Test func `a token of our type by another issuer is left to that one`() async throws {
        try await withProvider { provider in
            var claims = try claims(try await provider.signIn().accessToken)
            let issuers: [JSONValue?] = [.string(Self.others), .string(issuerName + "/"), nil]
            for issuer in issuers {
                claims["iss"] = issuer
                let token = try sign(claims, header: header(provider.key), with: provider.key)
                #expect(try await found(token, in: provider) == Self.others)
            }
        }
    }

    @Test func `what says that it is ours is shown to no other issuer, though it is forged`() async throws {
        try await withProvider { provider in
            let claims = try claims(try await provider.signIn().accessToken)
            let stranger = try SigningKey.generate(.es256)
            let forged = try sign(claims, header: header(provider.key), with: stranger)
            #expect(try await found(forged, in: provider) == "bad_signature")
            let strange = try sign(claims, header: header(stranger), with: stranger)
            #expect(try await found(strange, in: provider) == "unknown_key")
        }
    }

    @Test func `a token that was verified is refused once it has run out`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken.expose()
            #expect(try await found(token, in: provider) == issuerName)
            #expect(try await found(token, in: provider, after: .seconds(900)) == "expired")
        }
    }

    @Test func `a token that was verified is verified anew with other keys`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().accessToken.expose()
            #expect(try await found(token, in: provider) == issuerName)
            let next = SigningKeyRing.Entry(
                key: try SigningKey.generate(.es256), signsFrom: Timestamp(seconds: 0), retiresAt: nil)
            provider.ring.replace(with: SigningKeyRing([next], number: 1))
            #expect(try await found(token, in: provider) == "unknown_key")
        }
    }
}
