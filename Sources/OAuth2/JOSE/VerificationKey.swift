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

    /// What clients of our own sign with, and what we sign with ourselves, in the order in which clients are told.
    package static let announcedAlgorithms: [SignatureAlgorithm] = [.es256, .edDSA, .rs256, .ps256]
    /// ``announcedAlgorithms`` as a set, for ``init(jwk:for:)``.
    package static let usualAlgorithms = Set(announcedAlgorithms)

    /// Private members of every kind of key, and the symmetric one (RFC 7518 §6): a JWK that has one is not a public
    /// key.
    package static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// The members that the thumbprint is over, and nothing else.
    private let members: [String: JSONValue]
    /// `kid`, when the set names one.
    package let id: String?
    private let key: Key
    /// The key decides what `alg` may be, not the token: a public key never verifies an HMAC or `none`
    /// (RFC 8725 §3.1).
    private let algorithms: Set<SignatureAlgorithm>

    private init(bare key: Key, for algorithm: SignatureAlgorithm) throws {
        self.key = key
        id = nil
        algorithms = [algorithm]
        members = try Self.thumbprintMembers(of: key)
    }

    init(_ key: P256.Signing.PublicKey) throws { try self.init(bare: .p256(key), for: .es256) }

    init(_ key: Curve25519.Signing.PublicKey) throws { try self.init(bare: .ed25519(key), for: .edDSA) }

    /// RS256 alone: we sign by no other RSA algorithm, and a phone's bare RSA key is read for no other.
    init(_ key: _RSA.Signing.PublicKey) throws { try self.init(bare: .rsa(key), for: .rs256) }

    /// Reads a public key of a JWK set.
    /// - Parameter allowed: what its holder may sign with at all; the key verifies those that fit its kind.
    /// - Returns: `nil` for a kind that is not known here or fits none of the algorithms, a key for encryption, or an
    ///   RSA key under 2048 bits.
    package init?(jwk: JSONValue, for allowed: Set<SignatureAlgorithm> = usualAlgorithms) {
        guard let object = jwk.object, object["use"]?.string ?? "sig" == "sig",
            let (key, fitting) = Self.key(of: object)
        else { return nil }
        algorithms = fitting.intersection(allowed)
        guard !algorithms.isEmpty, let members = try? Self.thumbprintMembers(of: key) else { return nil }
        self.key = key
        self.members = members
        id = object["kid"]?.string
    }

    /// A key, and the algorithms that fit its kind.
    private static func key(of object: [String: JSONValue]) -> (Key, Set<SignatureAlgorithm>)? {
        // Text compares by canonical equivalence, by which "OKP" may have a K that is KELVIN SIGN.
        func word(_ name: String) -> String? {
            object[name]?.string.flatMap { word in word.utf8.allSatisfy { $0 < 0x80 } ? word : nil }
        }
        func bytes(_ name: String) -> [UInt8]? { object[name]?.string.flatMap { Base64URL.decode($0) } }
        func point(_ length: Int) -> [UInt8]? {
            guard let x = bytes("x"), let y = bytes("y"), x.count == length, y.count == length else { return nil }
            return x + y
        }
        switch (word("kty"), word("crv")) {
        case ("EC", "P-256"):
            guard let point = point(32), let key = try? P256.Signing.PublicKey(rawRepresentation: point) else {
                return nil
            }
            return (.p256(key), [.es256])
        case ("EC", "P-384"):
            guard let point = point(48), let key = try? P384.Signing.PublicKey(rawRepresentation: point) else {
                return nil
            }
            return (.p384(key), [.es384])
        case ("EC", "P-521"):
            guard let point = point(66), let key = try? P521.Signing.PublicKey(rawRepresentation: point) else {
                return nil
            }
            return (.p521(key), [.es512])
        case ("OKP", "Ed25519"):
            guard let x = bytes("x"), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
                return nil
            }
            return (.ed25519(key), [.edDSA])
        case ("RSA", _):
            guard let modulus = bytes("n"), let exponent = bytes("e"), (256...1024).contains(modulus.count),
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            return (.rsa(key), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        default: return nil
        }
    }

    /// The keys of a set that are known here.
    package static func all(inSet set: JSONValue) -> [VerificationKey] {
        (set.object?["keys"]?.array ?? []).compactMap { VerificationKey(jwk: $0) }
    }

    /// Whether the token's signature is this key's, by the algorithm that the token names.
    package func verifies(_ token: CompactJWS) -> Bool {
        guard let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(joseName:)) else { return false }
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

    /// RFC 7638 §3.2 and RFC 8037 §2: of the key itself and not of how it was written, so that a key has one
    /// thumbprint.
    private static func thumbprintMembers(of key: Key) throws -> [String: JSONValue] {
        func curve(_ name: String, _ point: Data) -> [String: JSONValue] {
            let half = point.count / 2
            return [
                "kty": .string("EC"), "crv": .string(name), "x": .string(Base64URL.encode(Array(point.prefix(half)))),
                "y": .string(Base64URL.encode(Array(point.suffix(half)))),
            ]
        }
        switch key {
        case .p256(let key): return curve("P-256", key.rawRepresentation)
        case .p384(let key): return curve("P-384", key.rawRepresentation)
        case .p521(let key): return curve("P-521", key.rawRepresentation)
        case .ed25519(let key):
            return [
                "kty": .string("OKP"), "crv": .string("Ed25519"),
                "x": .string(Base64URL.encode(Array(key.rawRepresentation))),
            ]
        case .rsa(let key):
            let primitives = try key.getKeyPrimitives()
            return [
                "kty": .string("RSA"), "n": .string(Base64URL.encode(Array(primitives.modulus))),
                "e": .string(Base64URL.encode(Array(primitives.publicExponent))),
            ]
        }
    }
}
