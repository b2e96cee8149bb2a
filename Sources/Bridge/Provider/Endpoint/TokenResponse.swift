package import OAuth2

/// What the token endpoint answers a request that passed.
package enum TokenResponse: Sendable {
    /// In the body (RFC 6749 §5.1).
    case tokens(IssuedTokens)
    /// As cookies, with the body `{}` (client setting `delivery: cookies`).
    case cookies(DeliveredCookies)
}

/// Tokens for a web view or a website, as cookies.
package struct DeliveredCookies: Sendable {
    package var cookies: [TokenCookie]
    /// The host of the website that they are for; `nil` for one at our own public origin.
    package let host: String?

    package init(_ cookies: [TokenCookie], host: String?) {
        self.cookies = cookies
        self.host = host
    }
}

/// What the token endpoint answers (RFC 6749 §5.1, RFC 8693 §2.2.1); absent members are left out.
package struct IssuedTokens: Sendable {
    package var accessToken: Secret<String>
    /// `Bearer`, `DPoP`, or `N_A` when what was issued is not an access token.
    package var tokenType: String
    package var expiresIn: Duration
    package var scope: Scope?
    package var refreshToken: Secret<String>?
    package var idToken: Secret<String>?
    /// Native SSO.
    package var deviceSecret: Secret<String>?
    /// RFC 8693: a token type URI.
    package var issuedTokenType: String?
    /// Further members of the answer.
    package var extraMembers: [(name: String, value: JSONValue)] = []

    package init(
        accessToken: Secret<String>, tokenType: String = "Bearer", expiresIn: Duration, scope: Scope? = nil,
        refreshToken: Secret<String>? = nil, issuedTokenType: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.scope = scope
        self.refreshToken = refreshToken
        self.issuedTokenType = issuedTokenType
    }
}

/// A cookie that carries a token to a web view; always `Secure` and `SameSite=Lax`.
package struct TokenCookie: Sendable {
    package let name: String
    package let value: Secret<String>
    package let path: String
    package let domain: String?
    package let maximumAge: Duration
    package let isHTTPOnly: Bool

    package init(
        name: String, value: Secret<String>, path: String = "/", domain: String? = nil, maximumAge: Duration,
        isHTTPOnly: Bool = true
    ) {
        self.name = name
        self.value = value
        self.path = path
        self.domain = domain
        self.maximumAge = maximumAge
        self.isHTTPOnly = isHTTPOnly
    }
}
