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
        let maximumAge = max(0, (session.expiresAt - now).inMilliseconds / 1000)
        setTimes(of: session, at: now, in: &headers)
        headers.append(
            HTTPField(
                name: .setCookie,
                value: "\(secretName)=\(secret.expose()); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\(maximumAge)"
            ))
    }

    /// Tells the page's scripts the current times.
    static func setTimes(of session: WebSession, at now: Timestamp, in headers: inout HTTPFields) {
        let maximumAge = max(0, (session.expiresAt - now).inMilliseconds / 1000)
        let times =
            "{\"expires_at\":\(session.expiresAt.seconds),\"idle_expires_at\":\(session.idleExpiresAt.seconds)}"
        headers.append(
            HTTPField(
                name: .setCookie,
                value:
                    "\(timesName)=\(PercentEncoding.encode(times)); Path=/; Secure; SameSite=Lax; Max-Age=\(maximumAge)"
            ))
    }

    static func clear(in headers: inout HTTPFields) {
        headers.append(
            HTTPField(
                name: .setCookie, value: "\(secretName)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"))
        headers.append(
            HTTPField(name: .setCookie, value: "\(timesName)=; Path=/; Secure; SameSite=Lax; Max-Age=0"))
    }
}
