public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif
#if canImport(WebKit)
    public import WebKit
#endif

/// The cookies that sign a web view in at one address.
public struct WebViewCookies: Sendable {
    /// What the provider set.
    public let all: [WebViewCookie]
    /// Where they count.
    public let url: URL
    let host: String

    init(_ all: [WebViewCookie], url: URL, host: String) {
        self.all = all
        self.url = url
        self.host = host
    }

    /// As Foundation has them.
    public var httpCookies: [HTTPCookie] { all.compactMap { $0.cookie(for: host) } }

    /// Puts them where `URLSession` finds them.
    public func fill(_ storage: HTTPCookieStorage) {
        for cookie in httpCookies { storage.setCookie(cookie) }
    }

    #if canImport(WebKit)
        /// Puts them where a `WKWebView` finds them; load the page after this returns.
        @MainActor public func fill(_ store: WKHTTPCookieStore) async {
            for cookie in httpCookies { await store.setCookie(cookie) }
        }
    #endif
}
