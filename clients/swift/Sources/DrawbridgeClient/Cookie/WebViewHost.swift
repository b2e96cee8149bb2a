public import Foundation

/// The app's web view and its cookies, as the platform has them.
public protocol WebViewHost: Sendable {
    /// Puts a cookie where the web view finds it, and returns when it is there.
    func setCookie(_ cookie: WebViewCookie, at place: CookiePlace) async
    /// Loads a page; called when all cookies are set.
    func load(_ url: URL) async
    /// Takes out what ``setCookie(_:at:)`` has put in, in this process or one before.
    func removeCookie(at place: CookiePlace) async
}

/// Enough of a cookie to take it out again. It holds no value.
public struct CookiePlace: Sendable, Hashable, Codable {
    /// Its name.
    public let name: String
    /// The domain whose hosts get it, or the one host.
    public let domain: String
    /// The path below which it is sent.
    public let path: String
}

extension Drawbridge {
    /// Fills the web view's cookies, then loads the page: its first request is signed in already.
    /// - Parameters:
    ///   - url: the page.
    ///   - webView: the client id of the web view, as for ``cookies(for:webView:)``.
    ///   - host: the web view; signing out takes the cookies out of it again.
    public func openWebView(_ url: URL, webView: String, in host: any WebViewHost) async throws(ClientError) {
        let cookies = try await cookies(for: url, webView: webView)
        let places = cookies.places
        // Noted first: what was set can be taken out again, by another process too.
        try await note(Array(Set(try await placedCookies() + places.map(\.place))))
        webViewHost = host
        for (cookie, place) in places { await host.setCookie(cookie, at: place) }
        await host.load(url)
    }

    /// Takes out of a web view what was put in, without signing out.
    public func clearWebView(_ host: any WebViewHost) async throws(ClientError) {
        let places: [CookiePlace]
        do throws(ClientError) {
            places = try await placedCookies()
        } catch {
            // A list that stayed unreadable would fail every sign-out to come.
            try? await store.remove(configuration.placesItem)
            throw error
        }
        for place in places { await host.removeCookie(at: place) }
        try await store.remove(configuration.placesItem)
    }

    private func placedCookies() async throws(ClientError) -> [CookiePlace] {
        guard let text = try await store.read(configuration.placesItem)?.expose() else { return [] }
        return (try? JSONDecoder().decode([CookiePlace].self, from: Data(text.utf8))) ?? []
    }

    private func note(_ places: [CookiePlace]) async throws(ClientError) {
        guard let json = try? JSONEncoder().encode(places) else { throw .secretStore("the cookies cannot be noted") }
        try await store.write(Redacted(String(decoding: json, as: UTF8.self)), to: configuration.placesItem)
    }
}

extension WebViewCookies {
    var places: [(cookie: WebViewCookie, place: CookiePlace)] {
        all.map { ($0, CookiePlace(name: $0.name, domain: $0.domain ?? host, path: $0.path)) }
    }
}
