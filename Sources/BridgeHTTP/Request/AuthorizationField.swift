import OAuth2

/// The value of an `Authorization` field: a scheme, spaces, and what the scheme makes of the rest (RFC 9110 §11.4).
struct AuthorizationField {
    /// The scheme in lower case.
    let scheme: String
    /// Without the spaces before it; may be empty.
    let credentials: Substring.UTF8View

    /// - Returns: `nil` for a scheme alone.
    init?(_ field: String) {
        // By bytes: splitting by characters costs more than verifying the token out of the cache.
        let name = field.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard name.endIndex != field.utf8.endIndex else { return nil }
        scheme = String(Substring(name)).lowercased()
        credentials = field.utf8[name.endIndex...].drop { $0 == UInt8(ascii: " ") }
    }

    /// The credentials of schemes that carry one token; `nil` when they are none (RFC 9110 §11.2).
    var token68: String? {
        let text = Substring(credentials)
        return ASCII.isToken68(text) ? String(text) : nil
    }
}
