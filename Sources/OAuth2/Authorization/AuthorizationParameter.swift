/// The parameters of an authorization request that we read; unknown ones are passed over (RFC 6749 §3.1).
package enum AuthorizationParameter {
    /// Those whose repetition leaves no one to answer to: not even the redirect is certain then.
    package static let identifying = ["client_id", "redirect_uri", "request_uri"]

    /// What the tokens are wanted for (RFC 8707 §2); checked and not carried on, since it can only be this server.
    package static let resource = "resource"

    /// A one-time token that signs the user in; never carried on with the others, since it is used once.
    package static let loginToken = "login_token"

    /// An ID token of the user that a client wants signed in.
    package static let idTokenHint = "id_token_hint"

    package static let all =
        identifying + [
            "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
            "prompt", "max_age", "login_hint", idTokenHint, "acr_values", "ui_locales", "claims",
            "claims_locales", "display", "request", "registration", "dpop_jkt",
        ]

    /// They never cause an error (docs/rules/authorization-request.md A9).
    private static let wishes: Set = ["login_hint", "acr_values", "ui_locales", "claims_locales", "display"]

    /// The others: one that cannot be read is an error.
    package static let decisive = all.filter { !wishes.contains($0) }
}

extension AuthorizationParameter {
    /// What is wrong where a parameter occurs more than once, be it one that we do not know (RFC 6749 §3.1). Only
    /// `resource` may (RFC 8707 §2).
    package static func repetition(in parameters: FormParameters) -> String? {
        guard parameters.hasRepeated(besides: resource) else { return nil }
        // Names that we know, and no text of the request.
        let name = (all + [loginToken]).first(where: parameters.isRepeated)
        return "\(name ?? "a parameter") is repeated"
    }

    /// The first decisive one whose value is not UTF-8, and so would be lost where it is read as text.
    package static func unreadable(in parameters: FormParameters) -> String? {
        decisive.first { parameters.bytes($0) != nil && parameters[$0] == nil }
    }

    /// The parameters of a request that we read, as a form: for a request that goes on after a page.
    ///
    /// Others are left out, a client's secret among them.
    package static func serialize(_ parameters: FormParameters) -> String {
        all.compactMap { name in parameters[name].map { "\(name)=\(PercentEncoding.encode($0))" } }
            .joined(separator: "&")
    }
}
