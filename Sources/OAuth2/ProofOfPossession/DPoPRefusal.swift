/// What is wrong with a DPoP proof; its raw value is the reason in the audit log.
package enum DPoPRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case missing = "proof_missing"
    case repeated = "proof_repeated"
    case malformed = "proof_malformed"
    case wrongType = "proof_type"
    case wrongAlgorithm = "proof_algorithm"
    case unusableKey = "proof_key"
    case privateKey = "proof_private_key"
    case badSignature = "proof_signature"
    case missingClaim = "proof_claim_missing"
    case wrongMethod = "proof_method"
    case wrongTarget = "proof_target"
    case wrongTime = "proof_time"
    case wrongToken = "proof_token_hash"
    case replayed = "proof_replayed"
    case nonceMissing = "proof_nonce_missing"
    case nonceStale = "proof_nonce_stale"

    /// The code that the client is told (RFC 9449 §5, §8).
    package var code: ErrorCode {
        switch self {
        case .nonceMissing, .nonceStale: .useDPoPNonce
        default: .invalidDPoPProof
        }
    }

    /// Sent with the code: a proof holds no secret, so a developer may know what to mend.
    package var publicDescription: String {
        switch self {
        case .missing: "a DPoP proof is required"
        case .repeated: "there must be one DPoP header"
        case .malformed: "the DPoP proof is not a signed JWT"
        case .wrongType: "the DPoP proof's typ must be dpop+jwt"
        case .wrongAlgorithm: "the DPoP proof's alg is not accepted"
        case .unusableKey: "the DPoP proof's jwk is missing or not a public key that is accepted"
        case .privateKey: "the DPoP proof's jwk holds a private key"
        case .badSignature: "the DPoP proof's signature does not fit its jwk"
        case .missingClaim: "the DPoP proof needs jti, htm, htu and iat"
        case .wrongMethod: "the DPoP proof's htm is not this request's method"
        case .wrongTarget: "the DPoP proof's htu is not this request's address"
        case .wrongTime: "the DPoP proof's time is too far from the server's"
        case .wrongToken: "the DPoP proof's ath does not fit the access token"
        case .replayed: "the DPoP proof was used before"
        case .nonceMissing: "the DPoP proof needs the nonce of DPoP-Nonce"
        case .nonceStale: "the DPoP proof's nonce is not good any more; use the one of DPoP-Nonce"
        }
    }
}
