/// App sessions. ``EndingStore`` ends them.
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

    /// - Returns: how many, at most `limit` of them.
    func purgeAppSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

package enum AppSessionOpenOutcome: Hashable, Sendable {
    case opened
    case subjectDisabled
    case parentEnded
}
