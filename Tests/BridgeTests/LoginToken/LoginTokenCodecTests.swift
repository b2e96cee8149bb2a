import Foundation
import OAuth2
import Testing

@testable import Bridge

@Suite struct LoginTokenCodecTests {
    private let keys: Reloadable<SecretKeyRing>
    private let codec: LoginTokenCodec

    init() {
        keys = Reloadable(keyRing("k1"))
        codec = LoginTokenCodec(issuer: "https://bridge.example", keys: keys)
    }

    private func claims(
        lifetime: Duration = .seconds(60), issuer: String = "https://bridge.example",
        binding: LoginTokenBinding = .none, target: String = "/contacts?a=b"
    ) -> LoginTokenClaims {
        LoginTokenClaims(
            issuer: issuer, audience: website, subject: "älice \"<", issuedAt: noon, expiresAt: noon + lifetime,
            id: "abcdefghijklmnopqrstuv", clientID: app, sessionID: "parent",
            authentication: Authentication(time: noon - .seconds(90), acr: "urn:x", amr: ["pwd", "otp"]),
            target: target, binding: binding)
    }

    private func sign(_ claims: LoginTokenClaims) throws -> String {
        try #require(codec.sign(claims, at: noon)).token.expose()
    }

    @Test func `what is signed reads back field by field`() async throws {
        let challenge = try #require(CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))
        let (prefix, address) = (
            try #require(NetworkPrefix("203.0.113.0/24")), try #require(NetworkAddress("2001:db8::1"))
        )
        for network in [LoginTokenBinding.Network.none, .network(prefix), .exact(address)] {
            let claims = claims(binding: LoginTokenBinding(challenge: challenge, network: network))
            #expect(try await codec.verify(Secret(try sign(claims)), at: noon) == .verified(claims))
        }
    }

    @Test func `the header is the one of contract section 2`() throws {
        let header = try #require(Base64URL.decode(try sign(claims()).split(separator: ".")[0]))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"HS256","typ":"login+jwt","kid":"k1"}"#)
    }

    @Test func `absent optional claims are left out of the payload`() async throws {
        let bare = LoginTokenClaims(
            issuer: "https://bridge.example", audience: website, subject: "a", issuedAt: noon,
            expiresAt: noon + .seconds(1), id: "i", clientID: app, sessionID: nil, authentication: Authentication(),
            target: nil, binding: .none)
        let payload = LoginTokenPayload.encode(bare)
        for name in ["sid", "auth_time", "acr", "amr", "tgt", "cnf"] { #expect(!payload.contains("\"\(name)\"")) }
        #expect(try await codec.verify(Secret(try sign(bare)), at: noon) == .verified(bare))
    }

    @Test func `a token is good until the millisecond before exp and not at exp, without leeway`() async throws {
        let claims = claims()
        let token = Secret(try sign(claims))
        #expect(
            try await codec.verify(token, at: Timestamp(milliseconds: claims.expiresAt.milliseconds - 1))
                == .verified(claims))
        #expect(try await codec.verify(token, at: claims.expiresAt) == .expired(claims))
    }

    @Test func `a token that claims more than 60 seconds is refused whatever its signature`() async throws {
        let token = try #require(codec.sign(claims(lifetime: .seconds(61)), at: noon)).token
        #expect(try await codec.verify(token, at: noon) == .refused(.malformed))
    }

    /// The first second that no instant stands for.
    private static let afterAllTime = Int64.max / 1000 + 1
    private static let impossibleTimes: [(String, Int64)] = [
        ("iat", afterAllTime), ("exp", afterAllTime), ("exp", Int64.max), ("auth_time", afterAllTime),
        ("auth_time", Int64.min),
    ]

    /// They would both be the end of time, with no second between them.
    @Test(arguments: impossibleTimes) func `a time that no instant stands for is refused`(_ name: String, _ time: Int64)
        async throws
    {
        var members = [
            "iss": #""https://bridge.example""#, "aud": #""web""#, "sub": #""a""#, "jti": #""i""#,
            "client_id": #""app""#, "iat": "\(Int64.max / 1000)", "exp": "\(Int64.max / 1000)",
        ]
        func payload() -> String { "{" + members.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}" }
        #expect(LoginTokenPayload.decode(Array(payload().utf8)) != nil)
        members[name] = "\(time)"
        #expect(LoginTokenPayload.decode(Array(payload().utf8)) == nil)
        let token = try #require(codec.sign(payload: payload(), keyID: "k1", at: noon)).token
        #expect(try await codec.verify(token, at: noon) == .refused(.malformed))
    }

    @Test func `another issuer's token is refused`() async throws {
        #expect(
            try await codec.verify(Secret(try sign(claims(issuer: "https://other.example"))), at: noon)
                == .refused(.wrongIssuer))
    }

    @Test(arguments: [
        #"{"alg":"none","typ":"login+jwt","kid":"k1"}"#, #"{"alg":"HS512","typ":"login+jwt","kid":"k1"}"#,
        #"{"alg":"HS256","typ":"JWT","kid":"k1"}"#, #"{"alg":"RS256","typ":"login+jwt","kid":"nobody"}"#,
    ])
    func `another alg or typ is refused before the key is looked up`(header: String) async throws {
        let rest = try sign(claims()).split(separator: ".").dropFirst().joined(separator: ".")
        let token = Secret(Base64URL.encode(Array(header.utf8)) + "." + rest)
        #expect(try await codec.verify(token, at: noon) == .refused(.wrongAlgorithm))
    }

    @Test func `an unknown key, a critical extension and a header without kid are refused`() async throws {
        let rest = try sign(claims()).split(separator: ".").dropFirst().joined(separator: ".")
        func verdict(_ header: String) async throws -> LoginTokenVerification {
            try await codec.verify(Secret(Base64URL.encode(Array(header.utf8)) + "." + rest), at: noon)
        }
        #expect(try await verdict(#"{"alg":"HS256","typ":"login+jwt","kid":"k2"}"#) == .refused(.unknownKey))
        #expect(
            try await verdict(#"{"alg":"HS256","typ":"login+jwt","kid":"k1","crit":["x"]}"#) == .refused(.malformed))
        #expect(try await verdict(#"{"alg":"HS256","typ":"login+jwt"}"#) == .refused(.malformed))
    }

    @Test(arguments: ["", ".", "..", "a.b", "a.b.c.d", "a.b.c", "....", String(repeating: "a", count: 9000)])
    func `nonsense is malformed`(text: String) async throws {
        #expect(try await codec.verify(Secret(text), at: noon) == .refused(.malformed))
    }

    @Test func `a token of more than 8192 bytes is malformed, whoever signed it`() async throws {
        func token(_ length: Int) throws -> (claims: LoginTokenClaims, text: String) {
            let claims = claims(target: "/" + String(repeating: "a", count: length))
            return (claims, try sign(claims))
        }
        let found = try (5000..<6500).last { try token($0).text.utf8.count <= 8192 }
        let longest = try #require(found)
        let fitting = try token(longest)
        #expect(try await codec.verify(Secret(fitting.text), at: noon) == .verified(fitting.claims))
        let long = try token(longest + 1).text
        #expect((8193...8200).contains(long.utf8.count))
        #expect(try await codec.verify(Secret(long), at: noon) == .refused(.malformed))
    }

    @Test func `a payload that is signed but unreadable is malformed`() async throws {
        for payload in ["{}", "[]", "nonsense", #"{"iss":"https://bridge.example","cnf":{"S256":"short"}}"#] {
            let token = try #require(codec.sign(payload: payload, keyID: "k1", at: noon)).token
            #expect(try await codec.verify(token, at: noon) == .refused(.malformed))
        }
    }

    @Test func `a challenge that cannot be read is not taken for no challenge`() async throws {
        let payload = LoginTokenPayload.encode(claims()).dropLast() + #","cnf":{"S256":"short"}}"#
        let token = try #require(codec.sign(payload: String(payload), keyID: "k1", at: noon)).token
        #expect(try await codec.verify(token, at: noon) == .refused(.malformed))
    }

    @Test(arguments: [
        (#""network":"203.0.113.0/24""#, true), (#""address":"203.0.113.7""#, true),
        (#""network":"nonsense""#, false), (#""address":"nonsense""#, false), (#""address":"203.0.113.0/24""#, false),
        (#""network":"203.0.113.0/24","address":"203.0.113.7""#, false),
    ])
    func `a network that cannot be read, or two at once, are not taken for a weaker binding`(
        members: String, isRead: Bool
    ) {
        let payload = LoginTokenPayload.encode(claims()).dropLast() + #","cnf":{\#(members)}}"#
        #expect((LoginTokenPayload.decode(Array(payload.utf8)) != nil) == isRead)
    }

    @Test func `no single changed character verifies`() async throws {
        let token = Array(try sign(claims()))
        for index in token.indices {
            for replacement in ["A", "z", "-", "."] where String(token[index]) != replacement {
                var changed = token
                changed[index] = Character(replacement)
                if case .verified = try await codec.verify(Secret(String(changed)), at: noon) {
                    Issue.record("character \(index) can be \(replacement)")
                }
            }
        }
    }

    @Test func `after a rotation the old key's living tokens verify and new tokens carry the new key`() async throws {
        let old = try sign(claims())
        keys.replace(with: keyRing("k1", "k2"))
        #expect(try await codec.verify(Secret(old), at: noon) == .verified(claims()))
        let header = try #require(Base64URL.decode(try sign(claims()).split(separator: ".")[0]))
        #expect(String(decoding: header, as: UTF8.self).contains(#""kid":"k2""#))
    }

    @Test func `a retired key neither signs nor verifies, and one that may not sign yet only verifies`() {
        let later = noon + .seconds(60)
        let retiring = SecretKey(
            id: "old", secret: Secret([UInt8](repeating: 1, count: 32)), signsFrom: noon, retiresAt: later)
        let coming = SecretKey(
            id: "next", secret: Secret([UInt8](repeating: 2, count: 32)), signsFrom: later, retiresAt: nil)
        let ring = SecretKeyRing(keys: [retiring, coming])
        #expect(ring.signingKeyID(at: noon) == "old")
        #expect(ring.signingKeyID(at: later) == "next")
        #expect(ring.signingKeyID(at: noon - .seconds(6)) == nil)
        #expect(ring.authenticationCode(for: [1], keyID: "next", at: noon) != nil)
        #expect(ring.authenticationCode(for: [1], keyID: "old", at: later) == nil)
        #expect(ring.derivedKey("old", purpose: .typedCode, at: later) == nil)
    }

    @Test func `without a key that may sign there is no token`() throws {
        keys.replace(with: keyRing("k1", signsFrom: noon + .seconds(6)))
        #expect(codec.sign(claims(), at: noon) == nil)
        #expect(codec.sign(payload: "{}", keyID: "unknown", at: noon) == nil)
    }

    @Test func `a key ring without keys signs nothing`() {
        #expect(SecretKeyRing(keys: []).signingKeyID(at: noon) == nil)
    }

    @Test func `two keys of one id do not cost a key ring the others`() {
        let ring = keyRing("a", "a", "b")
        #expect(ring.signingKeyID(at: noon) == "b")
        #expect(
            ring.authenticationCode(for: [1], keyID: "a", at: noon)
                == keyRing("a").authenticationCode(for: [1], keyID: "a", at: noon))
    }
}
