import HTTPTypes
import Hummingbird

/// Guesses whether a page would be shown inside an app, which could read what is typed into it (RFC 8252 §8.12).
enum EmbeddedBrowser {
    /// Android's web view says `; wv)`, and may name its app. An app that hides what it is, is not found out.
    static func isLikely(_ headers: HTTPFields) -> Bool {
        if let agent = headers[.userAgent], agent.contains("; wv)") || isApplesWebView(agent) { return true }
        guard let by = headers[.xRequestedWith] else { return false }
        return !by.isEmpty && by.lowercased() != "xmlhttprequest"
    }

    /// Whether `WKWebView` speaks as it does by itself: without the `Safari/` that every browser on these devices has,
    /// `SFSafariViewController` and `ASWebAuthenticationSession` included. An iPad may call itself a Macintosh. Websites
    /// on the home screen speak so too, and are refused with the web views.
    private static func isApplesWebView(_ agent: String) -> Bool {
        agent.contains("AppleWebKit/") && !agent.contains("Safari/")
            && ["(iPhone", "(iPad", "(iPod", "(Macintosh"].contains { agent.contains($0) }
    }
}

extension HTTPField.Name {
    static let xRequestedWith = literal("X-Requested-With")
}
