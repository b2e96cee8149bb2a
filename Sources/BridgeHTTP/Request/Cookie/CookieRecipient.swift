import Bridge
import HTTPTypes

/// Whether the sender of a request may be given cookies for what is in its body (contract §16.8).
enum CookieRecipient {
    /// Apps send none of these fields; a browser sends those it knows, and no script can change them.
    /// - Returns: ``CookieAllowance/allowed`` for an app, and for a script of our own origin's pages.
    static func allowance(of headers: HTTPFields, own: WebOrigin) -> CookieAllowance {
        if FetchMetadata.origin(headers, own: own) == .foreign { return .refused(.foreignOrigin) }
        switch FetchMetadata.site(headers) {
        case nil, .some(.none), .sameOrigin?: break
        case .sameSite?, .crossSite?, .other?: return .refused(.crossSite)
        }
        return headers.values(of: .secFetchMode).contains("navigate") ? .refused(.navigation) : .allowed
    }
}
