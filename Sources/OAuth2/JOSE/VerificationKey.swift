import Crypto
import CryptoExtras
import Foundation

/// A public key that verifies signatures, as a JSON Web Key writes it (RFC 7517, RFC 7518 §6, RFC 8037).
package struct VerificationKey: Sendable {
    private enum Key {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    /// What clients of our own sign with, and what we sign with ourselves.
    package static let usualAlgorithms: Set<SignatureAlgorithm> = [.es256, .rs256, .ps256, .eddsa]

    /// The members that the thumbprint is over, and nothing else.
    private let members: [String: JSONValue]
    /// `kid`, when the set names one.
    package let id: String?
    private let key: Key
    /// The key decides what `alg` may be, not the token: a public key never verifies an HMAC or `none`
    /// (RFC 8725 §3.1).
    private let algorithms: Set<SignatureAlgorithm>

    init(_ key: P256.Signing.PublicKey) {
        let point = Array(key.rawRepresentation)
        self.key = .p256(key)
        id = nil
        algorithms = [.es256]
        members = [
            "kty": .string("EC"), "crv": .string("P-256"), "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    init(_ key: Curve25519.Signing.PublicKey) {
        self.key = .ed25519(key)
        id = nil
        algorithms = [.eddsa]
        members = [
            "kty": .string("OKP"), "crv": .string("Ed25519"),
            "x": .string(Base64URL.encode(Array(key.rawRepresentation))),
        ]
    }

    /// - Parameter key: of our own, which signs by RS256 alone (``SigningAlgorithm``).
    init(_ key: _RSA.Signing.PublicKey) throws {
        let primitives = try key.getKeyPrimitives()
        self.key = .rsa(key)
        id = nil
        algorithms = [.rs256]
        members = [
            "kty": .string("RSA"), "n": .string(Base64URL.encode(Array(primitives.modulus))),
            "e": .string(Base64URL.encode(Array(primitives.publicExponent))),
        ]
    }

    /// Reads a public key of a JWK set.
    /// - Parameter allowed: what its holder may sign with at all; of these the key verifies those that fit its kind.
    /// - Returns: `nil` for a kind that is not known here or fits none of the algorithms, a key for encryption, or an
    ///   RSA key under 2048 bits.
    package init?(jwk: JSONValue, for allowed: Set<SignatureAlgorithm> = usualAlgorithms) {
        guard let object = jwk.object, object["use"]?.string ?? "sig" == "sig" else { return nil }
        func bytes(_ name: String) -> [UInt8]? { object[name]?.string.flatMap { Base64URL.decode($0) } }
        func point(_ length: Int) -> [UInt8]? {
            guard let x = bytes("x"), let y = bytes("y"), x.count == length, y.count == length else { return nil }
            return x + y
        }
        let fitting: Set<SignatureAlgorithm>
        switch (object["kty"]?.string, object["crv"]?.string) {
        case ("EC", "P-256"):
            guard let point = point(32), let key = try? P256.Signing.PublicKey(rawRepresentation: point) else {
                return nil
            }
            (self.key, fitting) = (.p256(key), [.es256])
        case ("EC", "P-384"):
            guard let point = point(48), let key = try? P384.Signing.PublicKey(rawRepresentation: point) else {
                return nil
            }
            (self.key, fitting) = (.p384(key), [.es384])
        case ("EC", "P-521"):
            guard let point = point(66), let key = try? P521.Signing.PublicKey(rawRepresentation: point) else {
                return nil
            }
            (self.key, fitting) = (.p521(key), [.es512])
        case ("OKP", "Ed25519"):
            guard let x = bytes("x"), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
                return nil
            }
            (self.key, fitting) = (.ed25519(key), [.eddsa])
        case ("RSA", _):
            guard let modulus = bytes("n"), let exponent = bytes("e"), (256...1024).contains(modulus.count),
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            (self.key, fitting) = (.rsa(key), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        default: return nil
        }
        algorithms = fitting.intersection(allowed)
        guard !algorithms.isEmpty else { return nil }
        members = Self.thumbprintMembers(of: object)
        id = object["kid"]?.string
    }

    /// The keys of a set that are known here.
    package static func all(inSet set: JSONValue) -> [VerificationKey] {
        (set.object?["keys"]?.array ?? []).compactMap { VerificationKey(jwk: $0) }
    }

    /// Whether the token's signature is this key's, by the algorithm that the token names.
    package func verifies(_ token: CompactJWS) -> Bool {
        // "Ed25519" is EdDSA's name since RFC 9864.
        let name = token.algorithm == "Ed25519" ? SignatureAlgorithm.eddsa.rawValue : token.algorithm
        guard let algorithm = name.flatMap(SignatureAlgorithm.init(rawValue:)) else { return false }
        return isValid(token.signature, for: token.message, by: algorithm)
    }

    /// Whether an algorithm is one that the key may be used with.
    package func fits(_ algorithm: SignatureAlgorithm) -> Bool { algorithms.contains(algorithm) }

    /// Whether the signature is this key's over the message; never for an algorithm that does not fit.
    package func isValid(_ signature: [UInt8], for message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
        guard fits(algorithm) else { return false }
        switch key {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: message))
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA384.hash(data: message))
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA512.hash(data: message))
        case .ed25519(let key):
            return key.isValidSignature(signature, for: message)
        case .rsa(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            switch algorithm {
            case .rs256:
                return key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            case .rs384:
                return key.isValidSignature(signature, for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
            case .rs512:
                return key.isValidSignature(signature, for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
            case .ps256: return key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .PSS)
            case .ps384: return key.isValidSignature(signature, for: SHA384.hash(data: message), padding: .PSS)
            case .ps512: return key.isValidSignature(signature, for: SHA512.hash(data: message), padding: .PSS)
            default: return false
            }
        }
    }

    /// RFC 7638: base64url of SHA-256 over the required members in the order of their names.
    package var thumbprint: String {
        SHA256Hash(of: JSONValue.object(members).text).base64URL
    }

    /// The key as a JWK of its required members alone.
    package var bareJWK: JSONValue { .object(members) }

    /// The key for a published set.
    package func jwk(id: String, algorithm: SigningAlgorithm) -> JSONValue {
        var object = members
        object["kid"] = .string(id)
        object["use"] = .string("sig")
        object["alg"] = .string(algorithm.rawValue)
        return .object(object)
    }

    /// RFC 7638 §3.2 and RFC 8037 §2.
    private static func thumbprintMembers(of object: [String: JSONValue]) -> [String: JSONValue] {
        let names =
            switch object["kty"]?.string {
            case "EC": ["kty", "crv", "x", "y"]
            case "OKP": ["kty", "crv", "x"]
            default: ["kty", "n", "e"]
            }
        return object.filter { names.contains($0.key) }
    }
}
