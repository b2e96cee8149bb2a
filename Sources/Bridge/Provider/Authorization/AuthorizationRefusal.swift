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
    /// To the client, with a code or an error, in a form that the browser posts.
    case post(to: String, [(name: String, value: String)])
    case page(ErrorCode, AuthorizationRefusal.Reason)
    /// The page was open too long, or belongs to another server: there is no request to go on with.
    case stale
}

/// How a request ends that cannot go on (docs/rules/authorization-request.md).
package enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// No client can be answered safely: a page at our host, no redirect.
    case page(ErrorCode, Reason)
    /// To the client, by its redirect URI.
    case redirect(AuthorizationReturn, ErrorCode, String)
}

extension AuthorizationRefusal {
    /// Why a request got a page instead of a redirect; a stable word for log and audit, and the key of the page's text.
    package enum Reason: String, Sendable, CaseIterable {
        case repeatedParameter = "repeated_parameter"
        case missingClient = "missing_client"
        case unknownClient = "unknown_client"
        case missingRedirect = "missing_redirect"
        case unregisteredRedirect = "unregistered_redirect"
        case unusableRequestURI = "unusable_request_uri"
        /// None that fits the redirect URI: an answer by it would be in a form that was not asked for.
        case responseMode = "response_mode"
        /// The page would be shown inside the app that asks (RFC 8252 §8.12).
        case embeddedBrowser = "embedded_browser"
    }
}
