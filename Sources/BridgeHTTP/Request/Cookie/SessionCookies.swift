import Bridge
import HTTPTypes
import OAuth2

/// The two cookies of the `session` profile (contract §6).
package enum SessionCookies {
    /// `__Host-` keeps sibling domains from planting it (RFC 6265bis §4.1.3.2).
    package static let secretName: StaticString = "__Host-drawbridge_session"
    /// Readable by the page's scripts: two times and no identity.
    package static let timesName: StaticString = "drawbridge_info"

    /// Sets both, the secret last; they live until the session's absolute end.
    static func set(_ session: WebSession, secret: OpaqueSecret, at now: Timestamp, in headers: inout HTTPFields) {
        setTimes(of: session, at: now, in: &headers)
        headers.setCookie(secretName, secret.expose(), for: session.expiresAt - now)
    }

    /// Tells the page's scripts the current times.
    static func setTimes(of session: WebSession, at now: Timestamp, in headers: inout HTTPFields) {
        let times =
            "{\"expires_at\":\(session.expiresAt.seconds),\"idle_expires_at\":\(session.idleExpiresAt.seconds)}"
        headers.setCookie(
            timesName, PercentEncoding.encode(times), for: session.expiresAt - now, isForScripts: true)
    }

    static func clear(in headers: inout HTTPFields) {
        headers.clearCookie(secretName)
        headers.clearCookie(timesName, isForScripts: true)
    }
}
