@testable import Bridge

/// In the place of a session store, for tests that are about a few of its verbs: a double says what these do.
///
/// It pretends a store that has no sessions, opens and ends none, and has no news but that its first reader missed
/// some.
protocol SessionStoreDouble: SessionStore {}

extension SessionStoreDouble {
    func session(secretDigest: String) -> WebSession? { nil }
    func session(id: SessionID) -> WebSession? { nil }
    func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, provenBy basis: SignInBasis?,
        events: [AuditEvent], ofAdministrator administrator: AuditEvent?
    ) -> Bool { false }
    func touch(_ id: SessionID, at now: Timestamp) {}
    func sessionsEnded(since mark: EndMark?) -> EndNews {
        EndNews(ended: [], mark: EndMark(run: "", number: 1), hasGap: mark == nil)
    }
    func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) -> [WebSession] { [] }
    func sessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) -> [WebSession] { [] }
    func countLiveSessions(at now: Timestamp) -> Int64 { 0 }
    func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent]) -> Ended { .nothing }
}
