import OAuth2

@testable import Bridge

/// What an app or a web view reads from an answer.
extension TokenResponse {
    var issued: IssuedTokens? {
        guard case .tokens(let tokens) = self else { return nil }
        return tokens
    }

    var cookies: [TokenCookie]? {
        guard case .cookies(let delivered) = self else { return nil }
        return delivered.cookies
    }

    /// Of the body or of the cookie; empty where the answer has none.
    var accessToken: Secret<String> {
        issued?.accessToken ?? cookies?.first { $0.name.hasSuffix(CookieTokens.accessTokenName) }?.value ?? Secret("")
    }

    var tokenType: String? { issued?.tokenType }
    var expiresIn: Duration? { issued?.expiresIn }
    var scope: Scope? { issued?.scope }
    var refreshToken: Secret<String>? { issued?.refreshToken }
    var idToken: Secret<String>? { issued?.idToken }
    var deviceSecret: Secret<String>? { issued?.deviceSecret }
    var issuedTokenType: String? { issued?.issuedTokenType }
    var extraMembers: [(name: String, value: JSONValue)] { issued?.extraMembers ?? [] }
}
