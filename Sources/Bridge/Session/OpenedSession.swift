import OAuth2

/// A session that was just opened, with the one copy of its secret.
package struct OpenedSession: Sendable {
    package let session: WebSession
    package let secret: OpaqueSecret
    /// By what the browser is known at its next sign-in (``KnownBrowsers``); `nil` where nothing was learnt of it.
    package var recognition: Secret<String>?
    /// The refresh cookie of a session in the profile `tokens` (contract §6); `nil` in the profile `session`.
    package var refresh: OpaqueSecret?

    package init(session: WebSession, secret: OpaqueSecret) {
        self.session = session
        self.secret = secret
    }
}

/// The session whose place in one browser a new one takes.
package struct ReplacedSession: Sendable {
    package let session: WebSession
    /// How what hangs under it ends, when it ends with it.
    package let ending: Ending
    /// Whether the new session is the same user's: what apps and websites were granted under this one goes on under
    /// the new one then, and ends otherwise (contract §7).
    package let isSameUser: Bool
    /// Whether the new session is this one, made stronger: this one must still live then.
    package let isRaised: Bool
    /// Whether the new session goes on from the sign-in that this one resulted from, which may have ended already: if
    /// that was one at an upstream provider, the provider's word that it is over ends the new session.
    package let isSameSignIn: Bool

    package init(
        _ session: WebSession, by subject: Subject, isRaised: Bool = false, isSameSignIn: Bool = false,
        origin: RequestOrigin, at now: Timestamp
    ) {
        self.session = session
        isSameUser = session.subject == subject
        ending =
            isSameUser
            ? Ending(at: now, reason: .replaced, origin: origin, extent: .signOut)
            : .accountSwitch(origin: origin, at: now)
        self.isRaised = isRaised
        self.isSameSignIn = isRaised || isSameSignIn
    }

    package var id: SessionID { session.id }

    /// Says that it ended.
    package var event: AuditEvent {
        ending.event(ending: session, type: ending.webSessionType)
    }
}
