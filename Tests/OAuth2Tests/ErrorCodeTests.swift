import OAuth2
import Testing

@Suite struct ErrorCodeTests {
    @Test(arguments: [
        (ErrorCode.invalidRequest, 400), (.invalidClient, 401), (.invalidGrant, 400), (.invalidScope, 400),
        (.unsupportedGrantType, 400), (.unauthorizedClient, 403), (.accessDenied, 403), (.serverError, 500),
        (.temporarilyUnavailable, 503), (.invalidToken, 401), (.insufficientScope, 403), (.invalidTarget, 400),
        (.insufficientUserAuthentication, 401), (.invalidRedirect, 400), (.rateLimited, 429), (.notFound, 404),
        (.methodNotAllowed, 405), (.conflict, 409), (.contentTooLarge, 413), (.unsupportedMediaType, 415),
        (.idempotencyKeyReused, 422), (.forbidden, 403), (.unsupportedResponseType, 400), (.loginRequired, 400),
        (.consentRequired, 400), (.interactionRequired, 400), (.invalidRequestURI, 400),
        (.requestNotSupported, 400), (.requestURINotSupported, 400), (.registrationNotSupported, 400),
        (.unsupportedTokenType, 400), (.slowDown, 429), (.preconditionFailed, 412), (.preconditionRequired, 428),
        (.invalidDPoPProof, 400), (.useDPoPNonce, 400), (.invalidRedirectURI, 400),
        (.uriTooLong, 414), (.headerFieldsTooLarge, 431),
    ])
    func `each code has its one status`(code: ErrorCode, status: Int) {
        #expect(code.status == status)
    }

    @Test func `no code is listed twice`() {
        #expect(Set(ErrorCode.all.map(\.rawValue)).count == ErrorCode.all.count)
    }

    @Test func `printing an error shows its code and no detail`() {
        let error = OAuthError(.invalidToken, "text", detail: "private detail", retryAfter: 3)
        #expect("\(error)" == "OAuthError(invalid_token)")
    }
}
