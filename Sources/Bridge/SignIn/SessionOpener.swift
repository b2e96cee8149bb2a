/// Opens a browser's session after a sign-in at Drawbridge itself.
package struct SessionOpener: Sendable {
    private let sessions: WebSessions
    private let store: any WebSessionStore
    private let clients: Reloadable<ClientDirectory>
    private let random: RandomSource

    /// The session's client where no default web client is configured.
    static let ownClient: ClientID = "drawbridge"

    package init(
        sessions: WebSessions, store: any WebSessionStore, clients: Reloadable<ClientDirectory>,
        random: RandomSource = .system
    ) {
        self.sessions = sessions
        self.store = store
        self.clients = clients
        self.random = random
    }

    /// A new session with a new id and secret, whatever the browser held before (no fixation).
    /// - Parameters:
    ///   - passwordSetAt: when the password was set that was checked; `nil` when none was.
    ///   - current: the browser's session, which ends.
    /// - Returns: `nil` when the user is disabled, or has another password by now.
    func open(
        for subject: Subject, authentication: Authentication, provenBy passwordSetAt: Timestamp?,
        replacing current: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        let secret = OpaqueSecret.make(.webSession, random: random)
        let directory = clients.current
        let website = directory.defaultTarget.flatMap { directory[$0] }
        let session = WebSession(
            id: .make(at: now, random: random), secretDigest: secret.digest,
            lineage: .signIn(
                of: subject, authentication: authentication, at: now,
                lifetime: website?.sessionLifetime ?? Client.defaultSessionLifetime),
            clientID: website?.id ?? Self.ownClient, createdAt: now,
            idleLifetime: website?.sessionIdle ?? Client.defaultSessionIdle, lastSeenAt: now)
        return try await open(
            session, secret, replacing: current.map { ReplacedSession($0, by: subject, origin: origin, at: now) },
            provenBy: passwordSetAt, reason: nil, origin: origin, at: now)
    }

    /// A stronger session in a session's place: with a new id and secret, and as long as the one before would have
    /// lived. The password was not given again, so nothing may last longer for it.
    /// - Returns: `nil` when `current` has ended or is no sign-in of its own, or the user is disabled.
    func raise(
        _ current: WebSession, to authentication: Authentication, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        guard let lineage = current.lineage.raised(to: authentication) else { return nil }
        let secret = OpaqueSecret.make(.webSession, random: random)
        let session = WebSession(
            id: .make(at: now, random: random), secretDigest: secret.digest, lineage: lineage,
            clientID: current.clientID, createdAt: now, idleLifetime: current.idleLifetime, lastSeenAt: now)
        return try await open(
            session, secret,
            replacing: ReplacedSession(current, by: current.subject, isRaised: true, origin: origin, at: now),
            provenBy: nil, reason: "second_factor", origin: origin, at: now)
    }

    /// Whether a session lives by what is stored, which is newer than what a browser's cookie was looked up with.
    func isAlive(_ session: WebSession) async throws -> Bool { try await sessions.peek(session.id) != nil }

    private func open(
        _ session: WebSession, _ secret: OpaqueSecret, replacing replaced: ReplacedSession?,
        provenBy passwordSetAt: Timestamp?, reason: String?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        func event(_ type: AuditEventType, _ reason: String? = nil) -> AuditEvent {
            AuditEvent(
                at: now, type: type, outcome: .success, reason: reason, subject: session.subject,
                targetClientID: session.clientID, sessionID: session.id, origin: origin)
        }
        let isOpened = try await store.open(
            session, replacing: replaced, provenBy: passwordSetAt,
            events: [event(.userSignedIn, reason), event(.webSessionOpened)])
        // Also when it was not: the one in the way may have ended elsewhere.
        if let replaced { await sessions.forget([replaced.id]) }
        guard isOpened else { return nil }
        sessions.remember(session)
        return OpenedSession(session: session, secret: secret)
    }
}
