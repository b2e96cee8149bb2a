/// Places of the console that a sign-in may lead to.
package enum ConsolePath {
    package static let home = "/admin/"
    package static let signIn = "/admin/sign-in"

    /// The path, with or without a query, when it is one of the console's own: below ``home`` whoever reads it, so
    /// without dot segments, empty ones, or escapes that stand for either (``ReturnPath``).
    package static func checked(_ text: String?) -> String? {
        guard let text, text.utf8.starts(with: home.utf8), !text.utf8.starts(with: signIn.utf8),
            case .success(let path) = ReturnPath.parse(Array(text.utf8))
        else { return nil }
        return path.serialized
    }
}
