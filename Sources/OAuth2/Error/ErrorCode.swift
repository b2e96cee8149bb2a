/// An OAuth error code and the HTTP status that belongs to it.
///
/// The pair is fixed here and nowhere else, so no endpoint can answer a code with a wrong status.
package struct ErrorCode: Hashable, Sendable {
    package let rawValue: String
    /// HTTP status code.
    package let status: Int

    private init(_ rawValue: String, status: Int) {
        self.rawValue = rawValue
        self.status = status
    }

    // RFC 6749 §5.2
    package static let invalidRequest = ErrorCode("invalid_request", status: 400)
    package static let invalidClient = ErrorCode("invalid_client", status: 401)
    package static let invalidGrant = ErrorCode("invalid_grant", status: 400)
    package static let invalidScope = ErrorCode("invalid_scope", status: 400)
    package static let unsupportedGrantType = ErrorCode("unsupported_grant_type", status: 400)
    /// At our own API the bearer is fine and its client lacks the right, hence 403 (contract §3).
    package static let unauthorizedClient = ErrorCode("unauthorized_client", status: 403)
    // RFC 6749 §4.1.2.1
    package static let accessDenied = ErrorCode("access_denied", status: 403)
    package static let unsupportedResponseType = ErrorCode("unsupported_response_type", status: 400)
    package static let serverError = ErrorCode("server_error", status: 500)
    package static let temporarilyUnavailable = ErrorCode("temporarily_unavailable", status: 503)
    // OpenID Connect Core §3.1.2.6; they travel in redirects, and as JSON from the pushed request endpoint.
    package static let loginRequired = ErrorCode("login_required", status: 400)
    package static let consentRequired = ErrorCode("consent_required", status: 400)
    package static let interactionRequired = ErrorCode("interaction_required", status: 400)
    package static let invalidRequestURI = ErrorCode("invalid_request_uri", status: 400)
    package static let requestNotSupported = ErrorCode("request_not_supported", status: 400)
    package static let requestURINotSupported = ErrorCode("request_uri_not_supported", status: 400)
    package static let registrationNotSupported = ErrorCode("registration_not_supported", status: 400)
    // RFC 6750 §3.1
    package static let invalidToken = ErrorCode("invalid_token", status: 401)
    package static let insufficientScope = ErrorCode("insufficient_scope", status: 403)
    // RFC 7009 §2.2.1
    package static let unsupportedTokenType = ErrorCode("unsupported_token_type", status: 400)
    // RFC 8628 §3.5
    package static let authorizationPending = ErrorCode("authorization_pending", status: 400)
    package static let expiredToken = ErrorCode("expired_token", status: 400)
    /// A device that asks again too soon; the other `slow_down` is a limit of ours.
    package static let pollingTooFast = ErrorCode("slow_down", status: 400)
    // RFC 8628's name, here for every limit of the token endpoint, hence 429 (contract §11)
    package static let slowDown = ErrorCode("slow_down", status: 429)
    /// A subject token that cannot be verified, under the name that Native SSO SDKs know; the client's own credentials
    /// are fine, hence not the status of a refused bearer (contract §11).
    package static let invalidSubjectToken = ErrorCode("invalid_token", status: 400)
    /// An exchange that policy forbids: at the token endpoint every such refusal is 400 (RFC 6749 §5.2).
    package static let exchangeDenied = ErrorCode("access_denied", status: 400)
    /// A client that may not use a grant, for the page of the code alone: the token endpoint gives every refusal of a
    /// request this status by itself (RFC 6749 §5.2).
    private static let grantNotAllowed = ErrorCode("unauthorized_client", status: 400)
    // RFC 7591 §3.2.2
    package static let invalidRedirectURI = ErrorCode("invalid_redirect_uri", status: 400)
    // RFC 8707 §2
    package static let invalidTarget = ErrorCode("invalid_target", status: 400)
    // RFC 9470 §3
    package static let insufficientUserAuthentication = ErrorCode("insufficient_user_authentication", status: 401)
    // RFC 9449 §5, §8; 401 where an access token is presented (§7.1)
    package static let invalidDPoPProof = ErrorCode("invalid_dpop_proof", status: 400)
    package static let useDPoPNonce = ErrorCode("use_dpop_nonce", status: 400)

    // Contract §3, §9, §11: codes of our own.
    package static let invalidRedirect = ErrorCode("invalid_redirect", status: 400)
    package static let rateLimited = ErrorCode("rate_limited", status: 429)
    package static let notFound = ErrorCode("not_found", status: 404)
    package static let methodNotAllowed = ErrorCode("method_not_allowed", status: 405)
    package static let alreadyScanned = ErrorCode("already_scanned", status: 409)
    package static let conflict = ErrorCode("conflict", status: 409)
    package static let contentTooLarge = ErrorCode("content_too_large", status: 413)
    package static let uriTooLong = ErrorCode("uri_too_long", status: 414)
    package static let unsupportedMediaType = ErrorCode("unsupported_media_type", status: 415)
    package static let idempotencyKeyReused = ErrorCode("idempotency_key_reused", status: 422)
    package static let forbidden = ErrorCode("forbidden", status: 403)
    // RFC 9110 §15.5.13, RFC 6585 §3, §5
    package static let preconditionFailed = ErrorCode("precondition_failed", status: 412)
    package static let preconditionRequired = ErrorCode("precondition_required", status: 428)
    package static let headerFieldsTooLarge = ErrorCode("header_fields_too_large", status: 431)

    /// Every code, for the page that `error_uri` points to and for the table test.
    package static let all: [ErrorCode] = [
        invalidRequest, invalidClient, invalidGrant, invalidScope, unsupportedGrantType, unauthorizedClient,
        accessDenied, serverError, temporarilyUnavailable, invalidToken, insufficientScope, invalidTarget,
        insufficientUserAuthentication, invalidRedirect, rateLimited, notFound, methodNotAllowed, conflict,
        contentTooLarge, unsupportedMediaType, idempotencyKeyReused, forbidden, unsupportedResponseType,
        loginRequired, consentRequired, interactionRequired, invalidRequestURI, requestNotSupported,
        requestURINotSupported, registrationNotSupported,
        authorizationPending, expiredToken, unsupportedTokenType, slowDown, preconditionFailed, preconditionRequired,
        invalidDPoPProof, useDPoPNonce,
        invalidRedirectURI, alreadyScanned, uriTooLong, headerFieldsTooLarge,
    ]

    /// What the token endpoint answers by a name that is in ``all`` with another status.
    private static let ofTokenEndpoint: [ErrorCode] = [
        invalidSubjectToken, exchangeDenied, grantNotAllowed, pollingTooFast,
    ]

    /// The one of the same name that the token endpoint answers, where its status is another.
    package var atTokenEndpoint: ErrorCode? {
        Self.ofTokenEndpoint.first { $0.rawValue == rawValue && $0.status != status }
    }
}
