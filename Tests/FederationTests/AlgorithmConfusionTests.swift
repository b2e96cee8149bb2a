import Bridge
import Crypto
import Federation
import Foundation
import JWTKit
import OAuth2
import Testing

/// RFC 8725 §2.1: a token must not choose how a key is used.
@Suite struct AlgorithmConfusionTests {
    // The example key of RFC 7515 A.2: public knowledge, so nobody can mistake it for a secret.
    static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4Ql"
        + "L-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs"
        + "LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoud"
        + "F8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    static let privateExponent =
        "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe"
        + "46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9J"
        + "YanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuh"
        + "LhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ"

    static func rsa() throws -> (algorithm: JWTKit.Insecure.RSA.PrivateKey, jwk: [String: any Sendable]) {
        let key = try JWTKit.Insecure.RSA.PrivateKey(
            modulus: modulus, exponent: "AQAB", privateExponent: privateExponent)
        return (key, ["kty": "RSA", "kid": "r", "use": "sig", "n": modulus, "e": "AQAB"])
    }

    struct Claims: JWTPayload {
        var iss = TestToken.issuer
        var aud = "drawbridge"
        var sub = "alice"
        var clientID = "app"
        var exp = TestToken.now.seconds + 300

        enum CodingKeys: String, CodingKey {
            case iss, aud, sub, exp
            case clientID = "client_id"
        }

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    @Test func `RS256 and PS256 tokens are verified by one key`() async throws {
        let rsa = try Self.rsa()
        let pkcs1 = try await JWTKeyCollection().add(rsa: rsa.algorithm, digestAlgorithm: .sha256, kid: "r")
            .sign(Claims(), kid: "r")
        let pss = try await JWTKeyCollection().add(pss: rsa.algorithm, digestAlgorithm: .sha256, kid: "r")
            .sign(Claims(), kid: "r")
        try await withKeyFile([rsa.jwk]) { issuers in
            for token in [pss, pkcs1, pss] {
                try await issuers.expectAlice(token)
            }
        }
        try await withKeyFile([rsa.jwk.merging(["alg": "RS256"]) { $1 }]) { issuers in
            try await issuers.expectAlice(pkcs1)
            await issuers.expect(.unknownKey, of: pss)
        }
        try await withKeyFile([rsa.jwk], algorithms: [.rs256]) { issuers in
            await issuers.expect(.wrongAlgorithm, of: pss)
        }
    }

    @Test func `a public key is never used as a shared secret`() async throws {
        let rsa = try Self.rsa()
        let publicPEM = rsa.algorithm.publicKey.pemRepresentation
        let modulus = Base64URL.decode(rsa.jwk["n"] as? String ?? "") ?? []
        try await withKeyFile([rsa.jwk]) { issuers in
            for secret in [Array(publicPEM.utf8), Array((publicPEM + "\n").utf8), modulus] {
                let token = TestToken.hmac(header: ["alg": "HS256", "kid": "r"], secret: secret)
                await issuers.expect(.wrongAlgorithm, of: token)
            }
        }
    }

    @Test func `a shared secret inside a key set is passed over`() async throws {
        let secret: [String: any Sendable] = [
            "kty": "oct", "kid": "s", "alg": "HS256", "k": Base64URL.encode(TestToken.hmacSecret),
        ]
        let token = TestToken.hmac(header: ["alg": "HS256", "kid": "s"])
        try await withKeyFile([secret, ECKey(keyID: "k").jwk()]) { issuers in
            await issuers.expect(.wrongAlgorithm, of: token)
        }
    }

    @Test func `a short or oddly shaped RSA key is passed over`() async throws {
        let rsa = try Self.rsa()
        let token = try await JWTKeyCollection().add(rsa: rsa.algorithm, digestAlgorithm: .sha256, kid: "r")
            .sign(Claims(), kid: "r")
        let modulus = Base64URL.decode(rsa.jwk["n"] as? String ?? "") ?? []
        let changes: [[String: any Sendable]] = [
            ["n": Base64URL.encode(modulus.prefix(128))], ["n": Base64URL.encode([0] + modulus)], ["n": ""],
            ["n": Base64URL.encode([UInt8](repeating: 0xFF, count: 1025))], ["e": "AQ"], ["e": "Ag"], ["e": ""],
            ["e": "AQAAAAE"],
        ]
        for change in changes {
            try await withKeyFile([rsa.jwk.merging(change) { $1 }, ECKey(keyID: "k").jwk()]) { issuers in
                await issuers.expect(.unknownKey, of: token)
            }
        }
    }

    @Test func `two issuers do not take each other's keys`() async throws {
        let (mine, theirs) = (ECKey(keyID: "k"), ECKey(keyID: "k"))
        try await withTemporaryFolder { folder in
            let settings = try [("https://a.example", "a:", mine), ("https://b.example", "b:", theirs)].map {
                issuer, prefix, key in
                let path = "\(folder)/\(prefix)"
                try Data(keySet([key.jwk()])).write(to: URL(fileURLWithPath: path))
                var settings = fileSettings(path)
                settings.issuer = issuer
                settings.subjectPrefix = prefix
                settings.clients = ["app"]
                return settings
            }
            let issuers = try await TrustedIssuers(settings, logger: quiet)
            let claims = TestToken.claims(["iss": "https://a.example"])
            #expect(try await issuers.authenticate(mine.token(claims)).subject == "a:alice")
            await issuers.expect(.badSignature, of: try theirs.token(claims))
        }
    }
}
