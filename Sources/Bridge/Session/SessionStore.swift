/// Web sessions, found by the digest of their secret or by their id, and how sessions of every kind end.
package protocol SessionStore: Sendable {
    // Web sessions, found by the digest of their secret.

    /// The session with this secret, ended or not; `nil` when there is none.
    func session(secretDigest: String) async throws -> WebSession?

    /// The session with this public id, ended or not.
    func session(id: SessionID) async throws -> WebSession?

    /// Adds a session that no login token opened, ends the one in whose place it comes, and records the events.
    /// - Parameters:
    ///   - basis: what was checked for this session; `nil` when that is not kept here. A concurrent change or unlinking
    ///     of it ends this session too, or comes first.
    ///   - administrator: recorded as well when the user's account has the role `admin`.
    /// - Returns: `false` when the user is disabled, everything of theirs has ended since the proof, the password is
    ///   another by now, the key is unlinked, the passkey removed or used before, or the session that is to be raised,
    ///   or that it is to hang under, has ended; then nothing was written.
    func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, provenBy basis: SignInBasis?,
        events: [AuditEvent], ofAdministrator administrator: AuditEvent?
    ) async throws -> Bool

    /// Notes that the session was seen; never moves `lastSeenAt` back and never revives an ended session.
    func touch(_ id: SessionID, at now: Timestamp) async throws

    /// The sessions that were ended since an earlier call, in the order of commits and not by a clock: an end whose
    /// transaction was under way at that call is found now (contract §16.11).
    /// - Parameter mark: the earlier call's; `nil` at first, and then there is a gap.
    func sessionsEnded(since mark: EndMark?) async throws -> EndNews

    /// Removes sessions whose absolute end is before `cutoff`, those that were ended before and those that were not,
    /// with refresh cookies of such and what is known of where they came from.
    /// - Returns: how many of the kind of which there were most, at most `limit` of each.
    func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int

    // The sessions of a user, as an administrator sees and ends them.

    /// A user's sessions, newest first, at most `limit` after `cursor`, ended ones included.
    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession]

    /// The user's sessions that are alive, the idle end counted, newest first, at most `limit`.
    func sessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) async throws -> [WebSession]

    /// How many sessions live now, counted without the idle end.
    func countLiveSessions(at now: Timestamp) async throws -> Int64

    // Ends sessions with everything below them.

    /// Ends `root` and everything that descends from it, in one transaction; every event and every notice to a client
    /// is part of it.
    /// - Parameter first: events that are recorded ahead, when anything ended.
    func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent]) async throws -> Ended
}

extension SessionStore {
    package func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, provenBy basis: SignInBasis?,
        events: [AuditEvent]
    ) async throws -> Bool {
        try await open(session, replacing: replaced, provenBy: basis, events: events, ofAdministrator: nil)
    }

    package func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, events: [AuditEvent]
    ) async throws -> Bool {
        try await open(session, replacing: replaced, provenBy: nil, events: events)
    }
}

/// What a person showed to be signed in, as far as it is kept here and can be taken back.
///
/// `after` is the user's ``Account/lastEnd`` when they showed it: a proof that waited for something else, such as a
/// code or the browser, opens nothing once all has ended (contract §7). `nil` where nothing came between.
package enum SignInBasis: Hashable, Sendable {
    /// - Parameter setAt: when the password was set that was checked.
    case password(setAt: Timestamp, after: Timestamp? = nil)
    /// A phone's key; its use is noted.
    case key(thumbprint: String, after: Timestamp? = nil)
    case passkey(PasskeyUse)
    /// A sign-in at an upstream provider, which says when its user has signed out there.
    case upstream(UpstreamSession, after: Timestamp? = nil)

    /// The end after which it was shown; `nil` where that does not matter.
    package var lastEnd: Timestamp? {
        switch self {
        case .password(_, let end), .key(_, let end), .upstream(_, let end): end
        case .passkey: nil
        }
    }
}
