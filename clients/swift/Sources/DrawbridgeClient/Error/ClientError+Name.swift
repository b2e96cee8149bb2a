public import Foundation

extension ClientError {
    /// The error's name, the same in every client library: `come_back_later`, `id_token.nonce`. It is never changed.
    public var name: String {
        switch self {
        case .configuration: "configuration"
        case .unreachable: "unreachable"
        case .comeBackLater: "come_back_later"
        case .refused: "refused"
        case .provider(let flaw): "provider.\(flaw.name)"
        case .answer(let flaw): "answer.\(flaw.name)"
        case .idToken(let flaw): "id_token.\(flaw.name)"
        case .unexpectedAnswer: "unexpected_answer"
        case .notSignedIn: "not_signed_in"
        case .secretStore: "secret_store"
        case .signedOutHereOnly: "signed_out_here_only"
        case .cancelled: "cancelled"
        case .timedOut: "timed_out"
        }
    }
}

extension ClientError: LocalizedError {
    /// What happened, in a sentence.
    public var errorDescription: String? { description }

    /// What to do about it.
    public var recoverySuggestion: String? {
        switch self {
        case .configuration: "Correct what is named here: the app's settings, or the arguments of the call."
        case .unreachable: "Check the network and ask again."
        case .comeBackLater: "Wait before you ask again."
        case .refused(let refusal): refusal.advice
        case .provider(let flaw): flaw.advice
        case .answer(let flaw): flaw.advice
        case .idToken(let flaw): flaw.advice
        case .unexpectedAnswer: "Check that the issuer is a Drawbridge."
        case .notSignedIn: "Let the person sign in first."
        case .secretStore: "See what the store reports, and what the system says of the keychain or the folder."
        case .signedOutHereOnly:
            "Its sessions run on at the provider: tell the person, who can end them on the account page."
        case .cancelled: "Show no error, and offer the sign-in again."
        case .timedOut: "Offer the sign-in again."
        }
    }
}

// What a developer, or an app, can do. The same in every client library: clients/vectors/advice.json.
extension OAuthRefusal {
    var advice: String {
        switch code {
        case "invalid_token": "The bearer is expired, revoked or not of a trusted issuer: get a fresh one."
        case "invalid_redirect": "The page is not open to links: add the path to the website's return_paths."
        case "invalid_target": "There is no such website: check the website's client_id."
        case "unauthorized_client":
            "This app may not do that: see can_issue_login_tokens and may_reach of the app."
        case "invalid_grant": "The grant is used up or ended: let the person sign in again."
        case "invalid_scope": "Ask for no more than the app is registered for."
        case "invalid_client": "Check the client_id."
        case "access_denied":
            "The app or the person may not: see who may, in the app's registration and the provider's log."
        case "login_required": "Let the person sign in again."
        case "insufficient_user_authentication":
            "Let the person sign in again, with the acr_values and max_age that it names."
        default: "Look its code up on the provider's page /errors."
        }
    }
}

extension ProviderFlaw {
    var advice: String {
        switch self {
        case .otherIssuer: "Set the issuer to what it calls itself."
        case .endpoint: "Mend the provider's configuration."
        case .noPKCE, .malformed: "Check that the issuer is a Drawbridge."
        }
    }
}

extension AnswerFlaw {
    var advice: String {
        switch self {
        case .otherAddress, .foreignState, .otherIssuer: "It may be somebody else's: drop it."
        case .malformed, .noCode: "Let the person sign in again."
        }
    }
}

extension IDTokenFlaw {
    var advice: String {
        switch self {
        case .missing: "Put openid into the app's scope."
        case .malformed: "Check that the issuer is a Drawbridge."
        case .algorithm: "Set id_token_signed_response_alg of the app to ES256."
        case .unknownKey: "Check what the provider's jwks_uri serves."
        case .issuer: "Check the issuer."
        case .audience: "Check the client_id."
        case .expired, .issuedInFuture: "Check this device's clock."
        case .signature, .nonce, .authenticationTime, .subject, .accessTokenHash, .deviceSecretHash:
            "Let the person sign in again."
        }
    }
}

extension ProviderFlaw {
    var name: String {
        switch self {
        case .otherIssuer: "other_issuer"
        case .endpoint: "endpoint"
        case .noPKCE: "no_pkce"
        case .malformed: "malformed"
        }
    }
}

extension AnswerFlaw {
    var name: String {
        switch self {
        case .otherAddress: "other_address"
        case .malformed: "malformed"
        case .foreignState: "foreign_state"
        case .otherIssuer: "other_issuer"
        case .noCode: "no_code"
        }
    }
}

extension IDTokenFlaw {
    var name: String {
        switch self {
        case .missing: "missing"
        case .malformed: "malformed"
        case .algorithm: "algorithm"
        case .unknownKey: "unknown_key"
        case .signature: "signature"
        case .issuer: "issuer"
        case .audience: "audience"
        case .expired: "expired"
        case .issuedInFuture: "issued_in_future"
        case .nonce: "nonce"
        case .authenticationTime: "auth_time"
        case .subject: "subject"
        case .accessTokenHash: "access_token_hash"
        case .deviceSecretHash: "device_secret_hash"
        }
    }
}
