/// A JWS algorithm that can be verified (RFC 7518 §3.1, RFC 8037). `none` is not among them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The algorithm of this name. EdDSA is `Ed25519` too, as RFC 9864 calls it for the one curve that is taken here.
    package init?(joseName name: String) { self.init(rawValue: name == "Ed25519" ? Self.edDSA.rawValue : name) }

    /// Whether one shared secret signs and verifies.
    package var isSymmetric: Bool {
        switch self {
        case .hs256, .hs384, .hs512: true
        default: false
        }
    }

    /// The fewest bytes a shared secret may have (RFC 7518 §3.2); 0 for the others.
    package var minimumSecretLength: Int {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        default: 0
        }
    }
}
