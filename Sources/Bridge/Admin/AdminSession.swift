/// A browser in which an administrator pasted a token: the console's own session, apart from every web session.
package struct AdminSession: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of the cookie's value.
    package let secretDigest: String
    package let actor: AdminActor
    /// What opened it, and ends it.
    package let credential: AdminCredential
    package let createdAt: Timestamp
    /// Its absolute end: the token's, or ``lifetime`` from its start.
    package let expiresAt: Timestamp
    package let lastSeenAt: Timestamp

    /// Who holds it.
    package var administrator: Administrator {
        Administrator(actor: actor, credential: credential, expiresAt: expiresAt)
    }

    /// At the latest a working day later the token must be shown again.
    package static let lifetime = Duration.seconds(8 * 3600)
    /// How long it may stay unused (contract §8).
    package static let idleLifetime = Duration.seconds(15 * 60)

    package init(
        secretDigest: String, actor: AdminActor, credential: AdminCredential, createdAt: Timestamp,
        expiresAt: Timestamp, lastSeenAt: Timestamp
    ) {
        self.secretDigest = secretDigest
        self.actor = actor
        self.credential = credential
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastSeenAt = lastSeenAt
    }

    package func isAlive(at now: Timestamp) -> Bool {
        now < expiresAt && now - lastSeenAt <= Self.idleLifetime
    }
}

/// Keeps the console's sessions.
///
/// What takes away a session's ground ends it in the same transaction: an end of everything of its account, the
/// account's role, the revocation of its token, its client's deletion, loss of the scope `admin` or new way to
/// authenticate, and the retirement of a key of access tokens.
package protocol AdminSessionStore: Sendable {
    /// Adds a session and records `event` with it.
    func open(_ session: AdminSession, event: AuditEvent) async throws

    /// The session with this secret, live or not.
    func adminSession(secretDigest: String) async throws -> AdminSession?

    /// Notes that the session was seen; never moves it back.
    func touchAdminSession(_ secretDigest: String, at now: Timestamp) async throws

    /// Removes a session and records `event`.
    /// - Returns: whether there was one; otherwise no event is written.
    func endAdminSession(_ secretDigest: String, event: AuditEvent) async throws -> Bool

    /// Removes sessions whose absolute end is before `cutoff`.
    func purgeAdminSessions(expiredBefore cutoff: Timestamp) async throws
}
