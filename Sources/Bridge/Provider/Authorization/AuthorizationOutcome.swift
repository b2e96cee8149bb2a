package import OAuth2

/// What the browser gets next.
package enum AuthorizationOutcome: Sendable {
    /// The sign-in page.
    /// - Parameter journey: brings the browser back; see ``Authorizations/resume(_:browser:session:origin:)``.
    case signIn(journey: String, AuthorizationRequest)
    /// The consent page.
    case askConsent(journey: String, AuthorizationRequest, Subject)
    /// To the client, with a code or an error.
    case redirect(to: String)
    case page(ErrorCode, AuthorizationProblem)
    /// 400 without error parameters.
    case plain
    /// The page was open too long, or belongs to another server: there is no request to go on with.
    case stale
}
