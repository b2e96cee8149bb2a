package import OAuth2

/// What can be wrong with a Native SSO exchange (OpenID Connect Native SSO draft-07 §4, contract §5.4 and §11).
///
/// In order of rank: of several flaws the first is told. Its raw value is the reason in the audit log.
package enum NativeSSOFlaw: String, Hashable, Sendable, CaseIterable {
    case disabled = "native_sso_disabled"
    case clientNotEnabled = "client_without_native_sso"
    case secretUnknown = "secret_unknown"
    case secretExpired = "secret_expired"
    case secretRevoked = "secret_revoked"
    case secretReplayed = "secret_replayed"
    case secretWrongKey = "secret_wrong_key"
    case subjectTokenInvalid = "subject_token_invalid"
    case subjectTokenWrongKey = "subject_token_wrong_key"
    case hashMismatch = "ds_hash_mismatch"
    case subjectMismatch = "subject_mismatch"
    case sessionEnded = "session_ended"
    case sessionElsewhere = "session_of_another_device"
    case subjectDisabled = "subject_disabled"
    case crossClientOff = "cross_client_off"
    case notShared = "client_not_shared"
    case wrongAudience = "wrong_audience"
    case scopeWithoutOpenID = "scope_without_openid"
    case scopeTooWide = "scope_too_wide"
    case consentNeeded = "consent_needed"
    case authenticationTooWeak = "authentication_too_weak"

    /// The error that the app is told.
    package var code: ErrorCode {
        switch self {
        case .disabled: .unsupportedGrantType
        case .clientNotEnabled: .unauthorizedClient
        case .secretUnknown, .secretExpired, .secretRevoked, .secretReplayed, .secretWrongKey, .hashMismatch,
            .subjectMismatch, .sessionEnded, .sessionElsewhere, .subjectDisabled:
            .invalidGrant
        case .subjectTokenInvalid, .subjectTokenWrongKey: .invalidSubjectToken
        case .crossClientOff, .notShared: .exchangeDenied
        case .wrongAudience: .invalidTarget
        case .scopeWithoutOpenID, .scopeTooWide: .invalidScope
        case .consentNeeded: .interactionRequired
        case .authenticationTooWeak: .insufficientUserAuthentication
        }
    }

    /// Told with the code. Says nothing that tells a thief which part of what he has is good.
    package var publicDescription: String {
        switch self {
        case .disabled: "Native SSO is switched off."
        case .clientNotEnabled: "This client may not use Native SSO."
        case .secretUnknown, .secretExpired, .secretRevoked, .secretReplayed, .secretWrongKey, .hashMismatch,
            .subjectMismatch, .sessionEnded, .sessionElsewhere, .subjectDisabled:
            "The device secret does not open this session; sign in again."
        case .subjectTokenInvalid, .subjectTokenWrongKey: "The subject token cannot be verified."
        case .crossClientOff, .notShared: "This client does not share users with the token's client."
        case .wrongAudience: "audience must be this issuer."
        case .scopeWithoutOpenID: "scope must contain openid."
        case .scopeTooWide: "scope is wider than what was granted."
        case .consentNeeded: "The user has to agree first."
        case .authenticationTooWeak: "The sign-in is too weak or too old for this client."
        }
    }

    init(_ flaw: DeviceSecretFlaw) {
        switch flaw {
        case .unknown: self = .secretUnknown
        case .expired: self = .secretExpired
        case .revoked: self = .secretRevoked
        case .replayed: self = .secretReplayed
        case .wrongKey: self = .secretWrongKey
        case .sessionEnded: self = .sessionEnded
        }
    }
}
