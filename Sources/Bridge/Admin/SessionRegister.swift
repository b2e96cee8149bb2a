/// The sessions of a user, as an administrator sees and ends them.
package protocol SessionRegister: Sendable {
    /// A user's sessions, newest first, at most `limit` behind `cursor`, ended ones included.
    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession]

    /// Ends every live session of a user.
    /// - Parameter ended: the event for each; its session id is filled in.
    /// - Returns: the ended ones.
    func endSessions(of subject: Subject, at now: Timestamp, ended: AuditEvent) async throws -> [SessionID]

    /// How many sessions live now, counted without the idle end.
    func countLiveSessions(at now: Timestamp) async throws -> Int64
}
