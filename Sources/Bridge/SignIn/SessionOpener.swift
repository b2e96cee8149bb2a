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
    /// - Parameter current: the browser's session, which ends.
    /// - Returns: `nil` when the user is disabled.
    func open(
        for subject: Subject, authentication: Authentication, replacing current: WebSession?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> OpenedSession? {
        let secret = OpaqueSecret.make(.webSession, random: random)
        let directory = clients.current
        let website = directory.defaultTarget.flatMap { directory[$0] }
        let session = WebSession(
            id: .make(at: now, random: random), secretDigest: secret.digest, subject: subject,
            clientID: website?.id ?? Self.ownClient, appClientID: nil, parentID: nil, loginTokenID: nil,
            opening: .authorize, authentication: authentication, createdAt: now,
            expiresAt: now + (website?.sessionLifetime ?? Client.defaultSessionLifetime),
            idleLifetime: website?.sessionIdle ?? Client.defaultSessionIdle, lastSeenAt: now)
        func event(_ type: AuditEventType) -> AuditEvent {
            AuditEvent(
                at: now, type: type, outcome: .success, subject: subject, targetClientID: session.clientID,
                sessionID: session.id, origin: origin)
        }
        let isOpened = try await store.open(
            session, replacing: current.map { Self.replaced($0, by: subject, origin: origin, at: now) },
            events: [event(.userSignedIn), event(.webSessionOpened)])
        guard isOpened else { return nil }
        if let current { await sessions.forget(current.id) }
        sessions.remember(session)
        return OpenedSession(session: session, secret: secret)
    }

    private static func replaced(
        _ current: WebSession, by subject: Subject, origin: RequestOrigin, at now: Timestamp
    ) -> ReplacedSession {
        let isSwitch = current.subject != subject
        return ReplacedSession(
            id: current.id,
            event: WebSessions.endedEvent(
                current, type: isSwitch ? .webSessionSwitched : .webSessionEnded,
                reason: isSwitch ? "account_switch" : "replaced", origin: origin, at: now))
    }
}
