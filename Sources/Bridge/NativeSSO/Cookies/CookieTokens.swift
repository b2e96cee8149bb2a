import Crypto
import OAuth2

/// Makes the cookies of the profile `tokens` (contract §6): the VA's four, under the client's prefix and domain.
package struct CookieTokens: Sendable {
    /// Where the refresh cookie goes: the browser sends it nowhere else.
    package static let refreshPath = "/session/refresh"

    private let codec: AccessTokenCodec
    private let random: RandomSource

    package init(codec: AccessTokenCodec, random: RandomSource = .system) {
        self.codec = codec
        self.random = random
    }

    package func makeRefresh(at now: Timestamp) -> OpaqueSecret {
        OpaqueSecret.make(.sessionRefresh, at: now, random: random)
    }

    /// A session's access token, and until when it is good.
    package func accessToken(
        for session: WebSession, client: Client, at now: Timestamp
    ) throws -> (token: Secret<String>, expiresAt: Timestamp) {
        let expiresAt = min(now + client.accessTokenLifetime, session.expiresAt)
        let claims = AccessTokenClaims(
            subject: session.subject, audience: [codec.issuer], clientID: session.clientID, scope: .empty,
            id: TokenID(rawValue: random.text(16)), sessionID: session.id, authentication: session.authentication,
            issuedAt: now, expiresAt: expiresAt)
        return (try codec.sign(claims, algorithm: client.accessTokenAlgorithm, at: now), expiresAt)
    }

    /// - Parameter refreshPath: the route that takes the refresh cookie.
    package func cookies(
        for session: WebSession, client: Client, refresh: OpaqueSecret, refreshPath: String, at now: Timestamp
    ) throws -> (accessToken: Secret<String>, cookies: [TokenCookie]) {
        let (token, tokenEnd) = try accessToken(for: session, client: client, at: now)
        // Unused, the session is over then; every refresh moves it.
        let refreshEnd = session.idleExpiresAt
        var times = JSONObjectWriter()
        times.add("access_token_expiration", tokenEnd.rfc3339)
        times.add("refresh_token_expiration", refreshEnd.rfc3339)
        let age = refreshEnd - now
        let prefix = client.cookiePrefix
        let cookies = [
            TokenCookie(
                name: prefix + Self.accessTokenName, value: token, domain: client.cookieDomain, maximumAge: age),
            TokenCookie(
                name: prefix + Self.refreshTokenName, value: Secret(refresh.expose()), path: refreshPath,
                maximumAge: age),
            TokenCookie(
                name: prefix + Self.antiCSRFName, value: AntiCSRF.value(for: refresh), maximumAge: age),
            TokenCookie(
                name: prefix + Self.timesName,
                value: Secret(PercentEncoding.encode(times.finishedText())),
                domain: client.cookieDomain, maximumAge: age, isHTTPOnly: false),
        ]
        return (token, cookies)
    }

    package static let accessTokenName = "access_token"
    package static let antiCSRFName = "anti_csrf_token"

    package static let refreshTokenName = "refresh_token"
    package static let timesName = "info_token"
    /// What a client's prefix is put before.
    package static let names = [accessTokenName, refreshTokenName, antiCSRFName, timesName]

    /// These cookies, emptied and expired, to be taken away.
    /// - Parameter refreshPaths: every route that takes the refresh cookie: a browser keeps one for each.
    package static func cleared(of client: Client, refreshPaths: [String]) -> [TokenCookie] {
        let prefix = client.cookiePrefix
        let nothing = Secret("")
        let refresh = refreshPaths.map {
            TokenCookie(name: prefix + refreshTokenName, value: nothing, path: $0, maximumAge: .zero)
        }
        return refresh + [
            TokenCookie(
                name: prefix + accessTokenName, value: nothing, domain: client.cookieDomain, maximumAge: .zero),
            TokenCookie(name: prefix + antiCSRFName, value: nothing, maximumAge: .zero),
            TokenCookie(
                name: prefix + timesName, value: nothing, domain: client.cookieDomain, maximumAge: .zero,
                isHTTPOnly: false),
        ]
    }
}

extension AccessTokenClaims {
    /// Whether it was made for a cookie: that has no scope, whereas what a website's server is given for a login token
    /// (contract §4.4) has `openid` at least.
    package var isForCookie: Bool { scope.isEmpty }
}

/// The value that a page must repeat in `X-CSRF-Token` to refresh (contract §6).
///
/// Computed from the refresh cookie, so it belongs to that one and nothing has to be kept: another site can make a
/// browser send the cookie, but cannot know what follows from it.
package enum AntiCSRF {
    package static func value(for refresh: OpaqueSecret) -> Secret<String> {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("drawbridge anti-csrf".utf8), using: SymmetricKey(data: Array(refresh.expose().utf8)))
        return Secret(Base64URL.encode(Array(code)))
    }

    package static func matches(_ presented: String?, _ refresh: OpaqueSecret) -> Bool {
        guard let presented else { return false }
        return ConstantTime.equals(presented.utf8, value(for: refresh).expose().utf8)
    }
}

/// The two cookies of the profile `session` (contract §6).
package enum SessionProfileCookies {
    /// `__Host-` keeps sibling domains from planting it (RFC 6265bis §4.1.3.2).
    package static let secretName: StaticString = "__Host-drawbridge_session"
    /// Readable by the page's scripts: two times and no identity.
    package static let timesName: StaticString = "drawbridge_info"

    /// The value of the cookie with the times.
    package static func times(of session: WebSession) -> String {
        PercentEncoding.encode(
            "{\"expires_at\":\(session.expiresAt.seconds),\"idle_expires_at\":\(session.idleExpiresAt.seconds)}")
    }

    /// Both, for a web view that gets them by an exchange.
    package static func make(
        for session: WebSession, secret: OpaqueSecret, at now: Timestamp
    ) -> (accessToken: Secret<String>, cookies: [TokenCookie]) {
        let age = session.expiresAt - now
        return (
            Secret(secret.expose()),
            [
                TokenCookie(name: "\(secretName)", value: Secret(secret.expose()), maximumAge: age),
                TokenCookie(
                    name: "\(timesName)", value: Secret(times(of: session)), maximumAge: age, isHTTPOnly: false),
            ]
        )
    }
}
