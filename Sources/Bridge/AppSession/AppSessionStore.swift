/// App sessions and everything that ends with them.
///
/// Each verb that ends a session ends, in the same transaction, the app sessions and web sessions under it, records an
/// event for each, and queues a logout notice for each whose client wants one.
package protocol AppSessionStore: Sendable {
    /// Opens a session that no code stands for, with its first refresh token.
    ///
    /// Nothing is written when the user is disabled, or when the parent or the browser session has ended.
    func open(_ session: AppSession, refreshToken: RefreshTokenRecord?, events: [AuditEvent]) async throws
        -> AppSessionOpenOutcome

    /// The session with this id, ended or not.
    func appSession(id: SessionID) async throws -> AppSession?

    /// The user's sessions that are alive, youngest first, at most `limit`.
    func appSessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) async throws -> [AppSession]

    /// Ends one session and what hangs under it.
    /// - Parameters:
    ///   - first: events that are recorded ahead, when the session was alive.
    ///   - ended: the event for each session that ends; its session id is filled in.
    /// - Returns: every session that this call ended, none when it had ended already.
    func endAppSession(_ id: SessionID, at now: Timestamp, first: [AuditEvent], ended: AuditEvent) async throws
        -> [SessionID]

    /// Ends the app sessions under a browser session, those that are offline excepted.
    ///
    /// The clients of the excepted ones are told all the same.
    func endAppSessions(underBrowserSession id: SessionID, at now: Timestamp, ended: AuditEvent) async throws
        -> [SessionID]

    /// - Returns: how many, at most `limit` of them.
    func purgeAppSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

package enum AppSessionOpenOutcome: Hashable, Sendable {
    case opened
    case subjectDisabled
    case parentEnded
}
