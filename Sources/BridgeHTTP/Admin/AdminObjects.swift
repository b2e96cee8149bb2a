import Bridge
import OAuth2

/// Users, their consents and sessions as the admin API writes them (contract §13).
enum AdminObjects {
    static func user(_ user: UserOverview) -> JSONObjectWriter {
        var object = JSONObjectWriter()
        object.add("id", user.subject.rawValue)
        object.add("sub", user.subject.rawValue)
        object.add("username", user.username)
        object.add("display_name", user.displayName)
        object.add("email", user.email)
        object.add("role", user.role)
        object.add("claims", json: user.claims.text)
        object.add("second_factor", user.hasSecondFactor)
        object.add("issuer", user.issuer)
        object.add("created_at", user.firstSeenAt)
        object.add("disabled", user.disabledAt != nil)
        object.add("disabled_at", user.disabledAt)
        return object
    }

    static func consent(_ consent: Consent) -> JSONObjectWriter {
        var object = JSONObjectWriter()
        object.add("client_id", consent.clientID.rawValue)
        object.add("scope", consent.scopes.sorted().joined(separator: " "))
        object.add("agreed_at", consent.agreedAt)
        return object
    }

    /// - Parameter trace: where and with what it was opened; `nil` where the audit log does not go back as far.
    static func session(
        _ session: SessionOverview, _ trace: SessionTrace?, at now: Timestamp
    ) -> JSONObjectWriter {
        var object = JSONObjectWriter()
        object.add("id", session.id.rawValue)
        object.add("kind", session.kind.rawValue)
        object.add("sub", session.subject.rawValue)
        object.add("client_id", session.clientID.rawValue)
        object.add("app_client_id", session.appClientID?.rawValue)
        if let parent = session.parentID { object.add("parent", parent.rawValue) } else { object.addNull("parent") }
        object.add("origin", session.opening)
        object.add("token_id", session.loginTokenID?.rawValue)
        object.add("acr", session.authentication.acr)
        object.add("auth_time", session.authentication.time)
        object.add("created_at", session.createdAt)
        object.add("last_seen_at", session.lastSeenAt)
        object.add("expires_at", session.expiresAt)
        object.add("idle_expires_at", session.idleExpiresAt)
        object.add("active", session.isAlive(at: now))
        object.add("ended_at", session.endedAt)
        object.add("ip", trace?.address?.description)
        object.add("user_agent", trace?.userAgent)
        return object
    }
}
