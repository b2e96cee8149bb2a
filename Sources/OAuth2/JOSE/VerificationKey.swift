import Crypto
import CryptoExtras
import Foundation

/// A public key that verifies signatures, as a JSON Web Key writes it (RFC 7517, RFC 7518 §6, RFC 8037).
package struct VerificationKey: Sendable {
    private enum Key {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    /// The members that the thumbprint is over, and nothing else.
    private let members: [String: JSONValue]
    /// `kid`, when the set names one.
    package let id: String?
    private let key: Key

    init(_ key: P256.Signing.PublicKey) {
        let point = Array(key.rawRepresentation)
        self.key = .p256(key)
        id = nil
        members = [
            "kty": .string("EC"), "crv": .string("P-256"), "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    init(_ key: Curve25519.Signing.PublicKey) {
        self.key = .ed25519(key)
        id = nil
        members = [
            "kty": .string("OKP"), "crv": .string("Ed25519"),
            "x": .string(Base64URL.encode(Array(key.rawRepresentation))),
        ]
    }

    init(_ key: _RSA.Signing.PublicKey) throws {
        let primitives = try key.getKeyPrimitives()
        self.key = .rsa(key)
        id = nil
        members = [
            "kty": .string("RSA"), "n": .string(Base64URL.encode(Array(primitives.modulus))),
            "e": .string(Base64URL.encode(Array(primitives.publicExponent))),
        ]
    }

    /// Reads a public key of a JWK set.
    /// - Returns: `nil` for a kind that is not known here, a key for encryption, or an RSA key under 2048 bits.
    package init?(jwk: JSONValue) {
        guard let object = jwk.object, object["use"]?.string ?? "sig" == "sig" else { return nil }
        func bytes(_ name: String) -> [UInt8]? { object[name]?.string.flatMap { Base64URL.decode($0) } }
        switch (object["kty"]?.string, object["crv"]?.string) {
        case ("EC", "P-256"):
            guard let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            self.key = .p256(key)
            members = Self.pick(["kty", "crv", "x", "y"], of: object)
        case ("OKP", "Ed25519"):
            guard let x = bytes("x"), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
                return nil
            }
            self.key = .ed25519(key)
            members = Self.pick(["kty", "crv", "x"], of: object)
        case ("RSA", _):
            guard let modulus = bytes("n"), let exponent = bytes("e"), (256...1024).contains(modulus.count),
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            self.key = .rsa(key)
            members = Self.pick(["kty", "n", "e"], of: object)
        default: return nil
        }
        id = object["kid"]?.string
    }

    /// The keys of a set that are known here.
    package static func all(inSet set: JSONValue) -> [VerificationKey] {
        (set.object?["keys"]?.array ?? []).compactMap(VerificationKey.init(jwk:))
    }

    /// Whether the signature is this key's over the message.
    ///
    /// The key decides what `alg` may be, not the token: a public key never verifies an HMAC or `none`
    /// (RFC 8725 §3.1).
    package func verifies(_ token: CompactJWS) -> Bool {
        let digest = SHA256.hash(data: token.message)
        switch (key, token.algorithm) {
        case (.p256(let key), "ES256"):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature) else {
                return false
            }
            return key.isValidSignature(signature, for: digest)
        case (.ed25519(let key), "EdDSA"), (.ed25519(let key), "Ed25519"):
            return key.isValidSignature(token.signature, for: token.message)
        case (.rsa(let key), "RS256"), (.rsa(let key), "PS256"):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: token.signature), for: digest,
                padding: token.algorithm == "RS256" ? .insecurePKCS1v1_5 : .PSS)
        default: return false
        }
    }

    /// RFC 7638: base64url of SHA-256 over the required members in the order of their names.
    package var thumbprint: String {
        Base64URL.encode(Array(SHA256.hash(data: Array(JSONValue.object(members).text.utf8))))
    }

    /// The key for a published set.
    package func jwk(id: String, algorithm: SigningAlgorithm) -> JSONValue {
        var object = members
        object["kid"] = .string(id)
        object["use"] = .string("sig")
        object["alg"] = .string(algorithm.rawValue)
        return .object(object)
    }

    private static func pick(_ names: [String], of object: [String: JSONValue]) -> [String: JSONValue] {
        object.filter { names.contains($0.key) }
    }
}
