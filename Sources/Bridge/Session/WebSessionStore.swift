/// Web sessions, found by the digest of their secret. ``EndingStore`` ends them.
package protocol WebSessionStore: Sendable {
    /// The session with this secret, ended or not; `nil` when there is none.
    func session(secretDigest: String) async throws -> WebSession?

    /// The session with this public id, ended or not.
    func session(id: SessionID) async throws -> WebSession?

    /// Adds a session that no login token opened, ends the one in whose place it comes, and records the events.
    /// - Parameter passwordSetAt: when the password was set that was checked for this session; `nil` when none was.
    ///   Whoever changes it meanwhile ends this session too, or comes first.
    /// - Returns: `false` when the user is disabled, the password is another by now, or the session that is to be
    ///   raised has ended; then nothing was written.
    func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, provenBy passwordSetAt: Timestamp?,
        events: [AuditEvent]
    ) async throws -> Bool

    /// Notes that the session was seen; never moves `lastSeenAt` back and never revives an ended session.
    func touch(_ id: SessionID, at now: Timestamp) async throws

    /// The sessions that anybody ended since an earlier call, in the order of commits and not by a clock: an end whose
    /// transaction was under way at that call is found now (contract §16.11).
    /// - Parameter mark: of the earlier call; `nil` at first, and then there is a gap.
    func sessionsEnded(since mark: EndMark?) async throws -> EndNews

    /// Removes sessions whose absolute end lies before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

extension WebSessionStore {
    package func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, events: [AuditEvent]
    ) async throws -> Bool {
        try await open(session, replacing: replaced, provenBy: nil, events: events)
    }
}

/// How far a node has read the ends of sessions.
package struct EndMark: Hashable, Sendable {
    /// Which run of the database the number belongs to: after a failover or a restore numbers may come again.
    package let run: String
    /// Every transaction with a lower number was over when the mark was taken.
    package let number: Int64

    package init(run: String, number: Int64) {
        self.run = run
        self.number = number
    }
}

/// What ``WebSessionStore/sessionsEnded(since:)`` found.
package struct EndNews: Hashable, Sendable {
    package let ended: [SessionID]
    /// Where the next call goes on.
    package let mark: EndMark
    /// Whether ends may be missing here: at first, and when the numbers began anew since the earlier mark.
    package let hasGap: Bool

    package init(ended: [SessionID], mark: EndMark, hasGap: Bool) {
        self.ended = ended
        self.mark = mark
        self.hasGap = hasGap
    }
}

/// The sessions of a user, as an administrator sees and ends them.
package protocol SessionRegister: Sendable {
    /// A user's sessions, newest first, at most `limit` after `cursor`, ended ones included.
    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession]

    /// How many sessions live now, counted without the idle end.
    func countLiveSessions(at now: Timestamp) async throws -> Int64
}
