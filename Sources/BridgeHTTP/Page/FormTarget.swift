import Bridge
import OAuth2

/// Where a form's answer may redirect to, as a source of `form-action`.
enum FormTarget {
    /// Whether an answer goes to an app by its own scheme.
    static func isApp(_ location: String) -> Bool {
        !location.hasPrefix("https://") && !location.hasPrefix("http://")
    }

    /// Chromium checks the redirects after a form against the page's policy, so the client must be on it.
    static func source(of request: AuthorizationRequest) -> String { source(of: request.redirectURI) }

    /// - Parameter uri: a redirect URI that was matched.
    static func source(of uri: String) -> String {
        if isApp(uri) { return String(uri.prefix { $0 != ":" }) + ":" }
        // A host source cannot be an IPv6 address (CSP 3 §2.3.1), so the scheme has to do.
        if uri.hasPrefix("http://[") { return "http:" }
        return uri.prefix { $0 != "/" } + "//" + authority(of: uri)
    }

    /// Host and port of a web address.
    static func authority(of uri: String) -> Substring {
        uri.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
    }
}
