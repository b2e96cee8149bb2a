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
        case .configuration: "Mend the app's settings or the arguments of the call."
        case .unreachable: "Check the network and call again."
        case .comeBackLater: "Wait that long before you call again."
        case .refused(let refusal): refusal.advice
        case .provider: "Check that the issuer in the settings is the provider's own."
        case .answer: "Drop the answer; let the person sign in again."
        case .idToken(.expired), .idToken(.issuedInFuture): "Check this device's clock."
        case .idToken: "Let the person sign in again; if it stays so, look at the app's registration."
        case .unexpectedAnswer: "Check that the issuer in the settings is a Drawbridge."
        case .notSignedIn: "Call signIn first."
        case .secretStore: "See what the system says of the keychain or the folder."
        case .signedOutHereOnly: "The sessions at the provider run on until they end by themselves."
        case .cancelled, .timedOut: "Let the person try again when they want to."
        }
    }
}

extension OAuthRefusal {
    /// What developers can do about the refusals that they meet.
    var advice: String {
        switch code {
        case "invalid_token": "Get a fresh bearer: this one is expired, revoked or not of a trusted issuer."
        case "invalid_redirect": "Add the path to the website's return_paths."
        case "invalid_target": "Check the website's client_id."
        case "unauthorized_client": "See can_issue_login_tokens and may_reach of the app."
        case "invalid_grant": "Let the person sign in again."
        default: "See error_description, and the page at error_uri."
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
