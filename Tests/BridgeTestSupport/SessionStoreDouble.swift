package import Bridge

/// In the place of a session store, for tests that are about a few of its verbs: a double says what these do.
///
/// It pretends a store that has no sessions, opens and ends none, and has no news but that its first reader missed
/// some.
package protocol SessionStoreDouble: SessionStore {}

extension SessionStoreDouble {
    package func session(secretDigest: String) -> WebSession? { nil }
    package func session(id: SessionID) -> WebSession? { nil }
    package func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, provenBy basis: SignInBasis?,
        events: [AuditEvent], ofAdministrator administrator: AuditEvent?
    ) -> Bool { false }
    package func touch(_ id: SessionID, at now: Timestamp) {}
    package func sessionsEnded(since mark: EndMark?) -> EndNews {
        EndNews(ended: [], mark: EndMark(run: "", number: 1), hasGap: mark == nil)
    }
    package func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
    package func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) -> [WebSession] { [] }
    package func sessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) -> [WebSession] { [] }
    package func countLiveSessions(at now: Timestamp) -> Int64 { 0 }
    package func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent]) -> Ended { .nothing }
}
