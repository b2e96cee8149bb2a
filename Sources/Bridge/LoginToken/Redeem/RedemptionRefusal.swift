/// Why a token was refused: the reason in the audit log, behind one page for all (contract §4.3).
package enum RedemptionRefusal: String, Error, Sendable, CaseIterable {
    case conflictingTokens = "conflicting_tokens"
    case missing
    case malformed
    case wrongAlgorithm = "wrong_algorithm"
    case unknownKey = "unknown_key"
    case badSignature = "bad_signature"
    case wrongIssuer = "wrong_issuer"
    case expired
    case revoked
    case unknownWebsite = "unknown_website"
    case clientWithoutRight = "client_without_right"
    case wrongVerifier = "wrong_verifier"
    case wrongNetwork = "wrong_network"
    case subjectDisabled = "subject_disabled"
    case parentSessionEnded = "parent_session_ended"
    case replayed

    init(_ flaw: LoginTokenFlaw) {
        self =
            switch flaw {
            case .malformed: .malformed
            case .wrongAlgorithm: .wrongAlgorithm
            case .unknownKey: .unknownKey
            case .badSignature: .badSignature
            case .wrongIssuer: .wrongIssuer
            }
    }
}
