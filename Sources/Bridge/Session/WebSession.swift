import OAuth2

/// A signed-in browser.
package struct WebSession: Hashable, Sendable {
    /// The public id that lists and proxies see; it opens nothing.
    package let id: SessionID
    /// ``OpaqueSecret/digest`` of the cookie's value.
    package let secretDigest: String
    /// Who is signed in, how that came to be, and what it may become.
    package let lineage: Lineage
    /// The website.
    package let clientID: ClientID
    /// The app that it came from.
    package let appClientID: ClientID?
    /// The login token that opened it; unique over all sessions, ever.
    package let loginTokenID: TokenID?
    package let createdAt: Timestamp
    /// How long it may stay unused.
    package let idleLifetime: Duration
    /// As ``AppSession/wantsLogoutNotice``, for a website's server that redeemed the token itself.
    package let wantsLogoutNotice: Bool
    package var lastSeenAt: Timestamp
    /// When it was ended before its time; `nil` while it lives.
    package var endedAt: Timestamp?

    package init(
        id: SessionID, secretDigest: String, lineage: Lineage, clientID: ClientID, appClientID: ClientID? = nil,
        loginTokenID: TokenID? = nil, createdAt: Timestamp, idleLifetime: Duration, lastSeenAt: Timestamp,
        wantsLogoutNotice: Bool = false, endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.secretDigest = secretDigest
        self.lineage = lineage
        self.clientID = clientID
        self.appClientID = appClientID
        self.loginTokenID = loginTokenID
        self.createdAt = createdAt
        self.idleLifetime = idleLifetime
        self.lastSeenAt = lastSeenAt
        self.wantsLogoutNotice = wantsLogoutNotice
        self.endedAt = endedAt
    }

    package var subject: Subject { lineage.subject }
    package var opening: SessionOpening { lineage.opening }

    /// How the session began, as pages and programs are told (contract §6).
    package var openingName: String {
        lineage.isOwnSignIn && authentication.amr.contains(Authentication.selfIssued)
            ? Authentication.selfIssued : opening.rawValue
    }

    package var authentication: Authentication { lineage.authentication }
    /// Absolute end.
    package var expiresAt: Timestamp { lineage.expiresAt }

    /// The parent session, an app's or another browser's.
    package var parentID: SessionID? {
        switch lineage.parent {
        case .none: nil
        case .opened(let id), .granted(let id): id
        }
    }

    /// When it ends if nothing more is heard of it; never past the absolute end.
    package var idleExpiresAt: Timestamp { min(lastSeenAt + idleLifetime, expiresAt) }

    /// Whether it opens anything at `now`. At the very millisecond of its end it no longer does.
    package func isAlive(at now: Timestamp) -> Bool { endedAt == nil && now < idleExpiresAt }

    /// Whether a visit is to be written down: a twentieth of the idle time has passed since the last, at most a minute.
    func isTouchDue(at now: Timestamp) -> Bool { now - lastSeenAt >= min(idleLifetime / 20, .seconds(60)) }

    /// Whether this browser's authorization requests for a client may be answered without the user (contract §16.3):
    /// for a session that came over an edge, the website itself and those that both the issuing app and each app whose
    /// sign-in it came by may open.
    package func reaches(_ client: Client, in directory: ClientDirectory) -> Bool {
        if lineage.isOwnSignIn { return true }
        guard client.kind == .web else { return false }
        if client.id == clientID { return true }
        func mayReach(_ app: ClientID) -> Bool { directory[app]?.mayReach.contains(client.id) ?? false }
        return appClientID.map(mayReach) ?? false && lineage.appsAbove.allSatisfy(mayReach)
    }
}

extension SessionID {
    /// A new id: the time, then 128 random bits; 30 characters. It says nothing that the session's own facts do not.
    package static func make(at now: Timestamp, random: RandomSource) -> SessionID {
        SessionID(rawValue: random.text(16, after: now))
    }
}

/// What only a person who signed in here may do (contract §16.2): administer, and change how they sign in.
extension WebSession {
    /// How old the sign-in of a user who changes such a thing may be.
    package static let signInFreshness = Duration.seconds(15 * 60)

    /// Whether the person signed in with this very session, here.
    package var isOwnSignIn: Bool { lineage.isOwnSignIn }

    /// Whether it is such a sign-in, a recent one, and not by a phone's key: a thief of the phone would set up ways in
    /// that stay when the key is unlinked, and lock out the user who knows the password.
    package func isFreshSignInWithoutPhone(at now: Timestamp) -> Bool {
        isOwnSignIn && authentication.isFresh(within: Self.signInFreshness, at: now)
            && !authentication.amr.contains(Authentication.selfIssued)
    }
}
