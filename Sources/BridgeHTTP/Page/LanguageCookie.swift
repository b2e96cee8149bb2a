import HTTPTypes

/// The language that a visitor chose, on this host. It holds a language tag and nothing about whom it belongs to.
enum LanguageCookie {
    static let name: StaticString = "__Host-drawbridge_language"

    /// A year after the last choice.
    private static let lifetime = Duration.seconds(31_536_000)

    /// - Parameter language: one of ours, so that nothing of a request comes back in a header.
    static func set(_ language: String, in headers: inout HTTPFields) {
        headers.setCookie(name, language, for: lifetime)
    }
}
