public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One cookie for a web view, as the provider describes it (contract §5.4).
public struct WebViewCookie: Sendable {
    /// Its name.
    public let name: String
    /// Mostly a token.
    public let value: Redacted<String>
    /// The domain whose hosts get it; `nil`: one host alone.
    public let domain: String?
    /// That one host, the web view's website; `nil`: the provider's.
    let host: String?
    /// The path below which it is sent.
    public let path: String
    /// When the browser forgets it.
    public let expiresAt: Date
    /// Out of reach of the page's scripts.
    public let isHTTPOnly: Bool
    /// `Lax` or `Strict`.
    public let sameSite: String

    /// Whether a browser would send it to this host (RFC 6265 §5.1.3).
    func reaches(_ host: String, from origin: String) -> Bool {
        guard let domain else { return host == self.host ?? origin }
        let name = domain.hasPrefix(".") ? String(domain.dropFirst()).lowercased() : domain.lowercased()
        // The provider may set cookies for its own domain, and for no other.
        return [host, origin].allSatisfy { $0 == name || ($0.hasSuffix(".\(name)") && !Self.isAddress($0)) }
    }

    /// An IP address has no domain above it.
    private static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    }

    /// For Foundation's and WebKit's cookie stores. Always `Secure`.
    func cookie(for host: String) -> HTTPCookie? {
        HTTPCookie(properties: [
            .name: name, .value: value.expose(), .domain: domain ?? host, .path: path, .expires: expiresAt,
            .secure: "TRUE", HTTPCookiePropertyKey("SameSite"): sameSite.lowercased(),
            HTTPCookiePropertyKey("HttpOnly"): isHTTPOnly ? "TRUE" : "FALSE",
        ])
    }
}
