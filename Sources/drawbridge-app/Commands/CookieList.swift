import DrawbridgeClient
import Foundation

/// Cookies as the DevTools command `Network.setCookies` takes them.
struct CookieList: Encodable {
    let cookies: [Entry]

    /// A cookie without a domain is for the host alone: it is named by the page's address then.
    struct Entry: Encodable {
        let name: String
        let value: String
        let url: String?
        let domain: String?
        let path: String
        let expires: Double
        let secure: Bool
        let httpOnly: Bool
        let sameSite: String
    }

    init(_ given: WebViewCookies) {
        cookies = given.all.map { cookie in
            Entry(
                name: cookie.name, value: cookie.value.expose(),
                url: cookie.domain == nil ? given.url.absoluteString : nil, domain: cookie.domain, path: cookie.path,
                expires: cookie.expiresAt.timeIntervalSince1970, secure: true, httpOnly: cookie.isHTTPOnly,
                sameSite: cookie.sameSite)
        }
    }
}
