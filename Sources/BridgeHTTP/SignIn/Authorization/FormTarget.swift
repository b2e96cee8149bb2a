import Bridge
import OAuth2

/// Where a form's answer may redirect to, as a source of `form-action`.
enum FormTarget {
    /// Whether an answer goes to an app by its own scheme.
    static func isApp(_ location: String) -> Bool {
        !location.hasPrefix("https://") && !location.hasPrefix("http://")
    }

    /// Chromium checks the redirects after a form against the page's policy, so the client must be on it.
    static func source(of request: AuthorizationRequest) -> String {
        let uri = request.redirectURI
        switch request.redirectKind {
        case .privateUse: return String(uri.prefix { $0 != ":" }) + ":"
        // A host source cannot be an IPv6 address (CSP 3 §2.3.1), so the scheme has to do.
        case .loopback where uri.hasPrefix("http://["): return "http:"
        case .loopback, .https:
            let authority = uri.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
            return uri.prefix { $0 != "/" } + "//" + authority
        }
    }
}
