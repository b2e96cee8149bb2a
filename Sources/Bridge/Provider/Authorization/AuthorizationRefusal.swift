package import OAuth2

/// How a request ends that cannot go on (docs/rules/authorization-request.md).
package enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// Nobody can be answered safely: a page at our host, no redirect.
    case page(ErrorCode, AuthorizationProblem)
    /// 400 without error parameters (OpenID Connect Core §3.1.2.6).
    case plain
    /// To the client, by its redirect URI.
    case redirect(AuthorizationReturn, ErrorCode, String)
}

/// Why a request got a page instead of a redirect; a stable word for log and audit, and the key of the page's text.
package enum AuthorizationProblem: String, Sendable, CaseIterable {
    case repeatedParameter = "repeated_parameter"
    case missingClient = "missing_client"
    case unknownClient = "unknown_client"
    case missingRedirect = "missing_redirect"
    case unregisteredRedirect = "unregistered_redirect"
    case unusableRequestURI = "unusable_request_uri"
    /// The page would be shown inside the app that asks (RFC 8252 §8.12).
    case embeddedBrowser = "embedded_browser"
}
