import Bridge
import Crypto
import OAuth2

/// What an issuer's tokens are verified with: the token never chooses how a key is used.
enum IssuerKey: Sendable {
    case published(VerificationKey)
    case shared(Secret<[UInt8]>, id: String?, algorithm: SignatureAlgorithm)

    var id: String? {
        switch self {
        case .published(let key): key.id
        case .shared(_, let id, _): id
        }
    }

    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        switch self {
        case .published(let key): key.fits(algorithm)
        case .shared(_, _, let own): own == algorithm
        }
    }

    /// The comparison of shared secrets' codes, inside swift-crypto, takes constant time.
    func isValid(_ signature: [UInt8], for message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
        guard fits(algorithm) else { return false }
        switch self {
        case .published(let key): return key.isValid(signature, for: message, by: algorithm)
        case .shared(let secret, _, _):
            let key = SymmetricKey(data: secret.expose())
            return switch algorithm {
            case .hs256: HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            case .hs384: HMAC<SHA384>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            case .hs512: HMAC<SHA512>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            default: false
            }
        }
    }
}

extension IssuerKey {
    /// Reads a key of an issuer's published set (RFC 7517).
    /// - Parameter allowed: the algorithms pinned for the issuer.
    /// - Returns: `nil` for a key that is not for verifying, not understood, too weak, malformed or not allowed; such
    ///   keys are passed over (RFC 7517 §5).
    init?(jwk members: [String: JSONValue], allowed: Set<SignatureAlgorithm>) {
        // A private key in a public set has leaked: anyone who read it can sign.
        guard Self.isForVerifying(members), VerificationKey.privateMembers.isDisjoint(with: members.keys),
            Self.isWellFormedRSA(members)
        else { return nil }
        if let value = members["kid"], value.string == nil { return nil }
        var algorithms = allowed
        if let value = members["alg"] {
            guard let pinned = value.string.flatMap(SignatureAlgorithm.init(joseName:)) else { return nil }
            algorithms.formIntersection([pinned])
        }
        // `oct` is not among the kinds that are read: a shared secret never comes out of a public key set.
        guard let key = VerificationKey(jwk: .object(members), for: algorithms) else { return nil }
        self = .published(key)
    }

    private static func isForVerifying(_ members: [String: JSONValue]) -> Bool {
        if let use = members["use"], use.string != "sig" { return false }
        if let operations = members["key_ops"] {
            guard let operations = operations.strings, operations.contains("verify") else { return false }
        }
        return true
    }

    /// No leading zeros, and a short odd exponent: it decides what a verification costs.
    private static func isWellFormedRSA(_ members: [String: JSONValue]) -> Bool {
        guard members["kty"]?.string == "RSA" else { return true }
        func bytes(_ name: String) -> [UInt8]? { members[name]?.string.flatMap { Base64URL.decode($0) } }
        guard members["crv"]?.string == nil, let modulus = bytes("n"), let exponent = bytes("e"),
            let first = modulus.first, let last = exponent.last
        else { return false }
        return first != 0 && exponent.count <= 4 && exponent[0] != 0 && last & 1 == 1 && exponent != [1]
    }
}
