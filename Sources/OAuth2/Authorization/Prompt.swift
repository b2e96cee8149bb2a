/// `prompt` of an authorization request (OpenID Connect Core §3.1.2.1).
package enum Prompt: String, Sendable, CaseIterable {
    /// Show no page at all.
    case none
    /// Sign in again.
    case login
    /// Ask again.
    case consent
    case selectAccount = "select_account"

    /// Reads the parameter; values that we do not know are passed over.
    /// - Returns: `nil` when `none` comes with another value.
    package static func set(_ text: String) -> Set<Prompt>? {
        let words = text.split(separator: " ").map(String.init)
        let known = Set(words.compactMap(Prompt.init(rawValue:)))
        return known.contains(.none) && Set(words).count > 1 ? nil : known
    }
}
