/// Web sessions, found by the digest of their secret.
package protocol WebSessionStore: Sendable {
    /// The session with this secret, ended or not; `nil` when there is none.
    func session(secretDigest: String) async throws -> WebSession?

    /// The session with this public id, ended or not.
    func session(id: SessionID) async throws -> WebSession?

    /// Adds a session that no login token opened, ends the one in whose place it comes, and records the events.
    /// - Returns: `false` when the user is disabled, or the session that is to be raised has ended; then nothing was
    ///   written.
    func open(_ session: WebSession, replacing replaced: ReplacedSession?, events: [AuditEvent]) async throws -> Bool

    /// Notes that the session was seen; never moves `lastSeenAt` back and never revives an ended session.
    func touch(_ id: SessionID, at now: Timestamp) async throws

    /// Ends a session, once, and records `event` with it.
    /// - Returns: whether this call ended it; `false` when it was ended already or is unknown. The event is written
    ///   only when it did.
    func end(_ id: SessionID, at now: Timestamp, event: AuditEvent) async throws -> Bool

    /// The sessions that were ended before their time at or after `since`, by whomever.
    func sessionsEnded(since: Timestamp) async throws -> [SessionID]

    /// Removes sessions whose absolute end lies before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}
