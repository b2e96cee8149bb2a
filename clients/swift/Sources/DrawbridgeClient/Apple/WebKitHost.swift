#if canImport(WebKit)
    public import Foundation
    public import WebKit

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// A `WKWebView` whose cookies are set before its first load, and taken out again at sign-out.
    @MainActor
    public final class WebKitHost: WebViewHost {
        private let view: WKWebView

        private var cookies: WKHTTPCookieStore { view.configuration.websiteDataStore.httpCookieStore }

        /// - Parameter view: its data store is the one that the cookies go into.
        public init(_ view: WKWebView) { self.view = view }

        /// As ``WebViewHost/setCookie(_:at:)`` says.
        public func setCookie(_ cookie: WebViewCookie, at place: CookiePlace) async {
            guard let made = cookie.cookie(for: place.domain) else { return }
            await cookies.setCookie(made)
        }

        /// As ``WebViewHost/load(_:)`` says.
        public func load(_ url: URL) async { _ = view.load(URLRequest(url: url)) }

        /// As ``WebViewHost/removeCookie(at:)`` says.
        public func removeCookie(at place: CookiePlace) async {
            for cookie in await cookies.allCookies()
            where cookie.name == place.name && cookie.domain == place.domain && cookie.path == place.path {
                await cookies.deleteCookie(cookie)
            }
        }
    }
#endif
