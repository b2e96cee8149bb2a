/// The sessions of a user, as an administrator sees and ends them.
package protocol SessionRegister: Sendable {
    /// A user's sessions, newest first, at most `limit` behind `cursor`, ended ones included.
    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession]

    /// How many sessions live now, counted without the idle end.
    func countLiveSessions(at now: Timestamp) async throws -> Int64
}
