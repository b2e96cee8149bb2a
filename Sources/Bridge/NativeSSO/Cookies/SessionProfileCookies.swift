import OAuth2

/// The two cookies of the profile `session`, for a web view that gets them by an exchange (contract §6).
package enum SessionProfileCookies {
    /// `__Host-` keeps sibling domains from planting it (RFC 6265bis §4.1.3.2).
    package static let secretName = "__Host-drawbridge_session"
    /// Readable by the page's scripts: two times and no identity.
    package static let timesName = "drawbridge_info"

    package static func make(
        for session: WebSession, secret: OpaqueSecret, at now: Timestamp
    ) -> (accessToken: Secret<String>, cookies: [TokenCookie]) {
        let times =
            "{\"expires_at\":\(session.expiresAt.seconds),\"idle_expires_at\":\(session.idleExpiresAt.seconds)}"
        let age = session.expiresAt - now
        return (
            Secret(secret.expose()),
            [
                TokenCookie(name: secretName, value: Secret(secret.expose()), maximumAge: age),
                TokenCookie(
                    name: timesName, value: Secret(PercentEncoding.encode(times)), maximumAge: age, isHTTPOnly: false),
            ]
        )
    }
}
