import HTTPTypes
import Hummingbird

/// Guesses whether a page would be shown inside an app, which could read what is typed into it (RFC 8252 §8.12).
enum EmbeddedBrowser {
    /// Android's web view says `; wv)`, and may name its app. An app that hides both is not found out.
    static func isLikely(_ headers: HTTPFields) -> Bool {
        if headers[.userAgent]?.contains("; wv)") == true { return true }
        guard let by = headers[.xRequestedWith] else { return false }
        return !by.isEmpty && by.lowercased() != "xmlhttprequest"
    }
}

extension HTTPField.Name {
    static let xRequestedWith = literal("X-Requested-With")
}
