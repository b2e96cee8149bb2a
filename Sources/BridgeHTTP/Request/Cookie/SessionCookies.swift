import Bridge
import HTTPTypes
import OAuth2

/// The two cookies of the `session` profile, ``SessionProfileCookies``, in the headers of answers.
enum SessionCookies {
    /// What a request has the session's secret in.
    static let secretName = SessionProfileCookies.secretName

    /// Sets both, the secret last; they live until the session's absolute end.
    static func set(_ session: WebSession, secret: OpaqueSecret, at now: Timestamp, in headers: inout HTTPFields) {
        setTimes(of: session, at: now, in: &headers)
        headers.setCookie(secretName, secret.expose(), for: session.expiresAt - now)
    }

    /// Tells the page's scripts the current times.
    static func setTimes(of session: WebSession, at now: Timestamp, in headers: inout HTTPFields) {
        headers.setCookie(
            SessionProfileCookies.timesName, SessionProfileCookies.times(of: session), for: session.expiresAt - now,
            isForScripts: true)
    }

    static func clear(in headers: inout HTTPFields) {
        headers.clearCookie(secretName)
        headers.clearCookie(SessionProfileCookies.timesName, isForScripts: true)
    }
}
