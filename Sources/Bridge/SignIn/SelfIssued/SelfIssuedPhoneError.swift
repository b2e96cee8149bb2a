/// What a phone may say in the place of an ID token: the codes of OAuth 2.0 (RFC 6749 §4.1.2.1), OpenID Connect (Core
/// §3.1.2.6) and SIOPv2 (§10.3). The log keeps these words alone: a phone can put anything there.
enum SelfIssuedPhoneError: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case unauthorizedClient = "unauthorized_client"
    case accessDenied = "access_denied"
    case unsupportedResponseType = "unsupported_response_type"
    case invalidScope = "invalid_scope"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"

    case interactionRequired = "interaction_required"
    case loginRequired = "login_required"
    case accountSelectionRequired = "account_selection_required"
    case consentRequired = "consent_required"
    case invalidRequestURI = "invalid_request_uri"
    case invalidRequestObject = "invalid_request_object"
    case requestNotSupported = "request_not_supported"
    case requestURINotSupported = "request_uri_not_supported"
    case registrationNotSupported = "registration_not_supported"

    case userCancelled = "user_cancelled"
    case clientMetadataValueNotSupported = "client_metadata_value_not_supported"
    case subjectSyntaxTypesNotSupported = "subject_syntax_types_not_supported"
    case invalidClientMetadataURI = "invalid_client_metadata_uri"
    case invalidClientMetadataObject = "invalid_client_metadata_object"

    /// Whether it is the person at the phone who said no, and nothing failed.
    var isDeclined: Bool { self == .accessDenied || self == .userCancelled }
}
