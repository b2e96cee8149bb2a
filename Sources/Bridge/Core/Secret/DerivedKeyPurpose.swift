import Crypto

/// What a login token key is used for besides login tokens. Each purpose has a key of its own, so what was made for one
/// is nothing to another.
///
/// The texts are part of what is derived: another text opens nothing that was sealed before, on any node.
package enum DerivedKeyPurpose: String, CaseIterable, Sendable {
    case authorizationJourney = "authorization journey"
    case crossDeviceSignIn = "cross-device sign-in"
    case deviceApproval = "device approval"
    case dpopNonce = "dpop nonce"
    case formToken = "form token"
    case heldConsoleForm = "held console form"
    case passkeyEnrolment = "passkey enrolment"
    case passkeySignIn = "passkey sign-in"
    case passwordLink = "password set-up link"
    case pendingSignIn = "pending sign-in"
    case phoneKeyLinking = "linking of a phone's key"
    case phoneKeyProof = "proof of a phone's key"
    case phoneSignIn = "sign-in that waits for a phone"
    case postedAuthorizationRequest = "website's authorization request"
    case pushedIDTokenHint = "pushed ID token hint"
    case pushedLoginToken = "pushed login token"
    case redemptionRetry = "redemption retry"
    case secondFactorEnrolment = "second factor enrolment"
    case typedCode = "typed code"
    case upstreamAnswer = "upstream provider's answer"
    case upstreamSignIn = "upstream sign-in"
    case websiteLogout = "website's logout"

    /// Neither of the two keys tells anything about the other (RFC 5869).
    func key(derivedFrom secret: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Array("drawbridge \(rawValue)".utf8), outputByteCount: 32)
    }
}
