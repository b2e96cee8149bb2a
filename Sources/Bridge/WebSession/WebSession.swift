/// A signed-in browser.
package struct WebSession: Hashable, Sendable {
    /// How a session came to be (contract §6).
    package enum Opening: String, Sendable {
        case loginToken = "login_token"
        /// A sign-in at Drawbridge's own pages.
        case authorize
        /// Cookies for a web view, by a device secret.
        case tokenExchange = "token_exchange"
    }

    /// The public id that lists and proxies see; it opens nothing.
    package let id: SessionID
    /// ``OpaqueSecret/digest`` of the cookie's value.
    package let secretDigest: String
    package let subject: Subject
    /// The website.
    package let clientID: ClientID
    /// The app that issued the login token.
    package let appClientID: ClientID?
    /// The app's own session, under which this one hangs.
    package let parentID: SessionID?
    /// The login token that opened it; unique over all sessions, ever.
    package let loginTokenID: TokenID?
    package let opening: Opening
    package let authentication: Authentication
    package let createdAt: Timestamp
    /// Absolute end.
    package let expiresAt: Timestamp
    /// How long it may lie unused.
    package let idleLifetime: Duration
    package var lastSeenAt: Timestamp
    /// When it was ended before its time; `nil` while it lives.
    package var endedAt: Timestamp?

    package init(
        id: SessionID, secretDigest: String, subject: Subject, clientID: ClientID, appClientID: ClientID?,
        parentID: SessionID?, loginTokenID: TokenID?, opening: Opening, authentication: Authentication,
        createdAt: Timestamp, expiresAt: Timestamp, idleLifetime: Duration, lastSeenAt: Timestamp,
        endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.secretDigest = secretDigest
        self.subject = subject
        self.clientID = clientID
        self.appClientID = appClientID
        self.parentID = parentID
        self.loginTokenID = loginTokenID
        self.opening = opening
        self.authentication = authentication
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.idleLifetime = idleLifetime
        self.lastSeenAt = lastSeenAt
        self.endedAt = endedAt
    }

    /// When it ends if nothing more is heard of it; never past the absolute end.
    package var idleExpiresAt: Timestamp { min(lastSeenAt + idleLifetime, expiresAt) }

    /// Whether it opens anything at `now`. At the very millisecond of its end it no longer does.
    package func isAlive(at now: Timestamp) -> Bool { endedAt == nil && now < idleExpiresAt }
}
