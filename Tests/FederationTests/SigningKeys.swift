import Bridge
import Crypto
import Foundation
import JWTKit
import OAuth2

/// Tokens and JWKs made for tests.
enum TestToken {
    static let now = Timestamp(seconds: 1_800_000_000)
    static let issuer = "https://backend.example"

    static func claims(_ changes: [String: any Sendable] = [:], without: Set<String> = []) -> [String: any Sendable] {
        var claims: [String: any Sendable] = [
            "iss": issuer, "aud": "drawbridge", "sub": "alice", "client_id": "app",
            "iat": now.seconds - 10, "exp": now.seconds + 300,
        ]
        claims.merge(changes) { $1 }
        for name in without { claims[name] = nil }
        return claims
    }

    static func json(_ object: [String: any Sendable]) -> [UInt8] {
        (try? Array(JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]))) ?? []
    }

    static func unsigned(header: [String: any Sendable], claims: [String: any Sendable]) -> String {
        Base64URL.encode(json(header)) + "." + Base64URL.encode(json(claims))
    }

    static func hmac(
        _ claims: [String: any Sendable] = claims(), header: [String: any Sendable] = ["alg": "HS256", "typ": "JWT"],
        secret: [UInt8] = hmacSecret
    ) -> String {
        hmac(payload: json(claims), header: header, secret: secret)
    }

    /// With a payload as it is written: a number has several spellings, and an encoder one.
    static func hmac(
        payload: [UInt8], header: [String: any Sendable] = ["alg": "HS256", "typ": "JWT"],
        secret: [UInt8] = hmacSecret
    ) -> String {
        let input = Base64URL.encode(json(header)) + "." + Base64URL.encode(payload)
        let code = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: secret))
        return input + "." + Base64URL.encode(Array(code))
    }

    static let hmacSecret: [UInt8] = Array("0123456789abcdef0123456789abcdef".utf8)
}

/// A P-256 key pair with a name.
struct ECKey: Sendable {
    let keyID: String?
    let key = P256.Signing.PrivateKey()

    func jwk(_ changes: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let point = Array(key.publicKey.rawRepresentation)
        var jwk: [String: any Sendable] = [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256",
            "x": Base64URL.encode(point.prefix(32)), "y": Base64URL.encode(point.suffix(32)),
        ]
        jwk["kid"] = keyID
        jwk.merge(changes) { $1 }
        return jwk
    }

    func token(
        _ claims: [String: any Sendable] = TestToken.claims(), header: [String: any Sendable] = [:]
    ) throws -> String {
        var fields: [String: any Sendable] = ["alg": "ES256", "typ": "at+jwt"]
        fields["kid"] = keyID
        fields.merge(header) { $1 }
        let input = TestToken.unsigned(header: fields, claims: claims)
        let signature = try key.signature(for: Array(input.utf8))
        return input + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }
}

func keySet(_ keys: [[String: any Sendable]]) -> [UInt8] { TestToken.json(["keys": keys]) }
