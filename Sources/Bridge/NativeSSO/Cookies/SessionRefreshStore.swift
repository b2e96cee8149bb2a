/// The refresh cookies of web sessions in the profile `tokens` (contract §6); each is used once.
package protocol SessionRefreshStore: Sendable {
    /// Uses a refresh cookie up and puts `successor` in its place; the session counts as seen.
    ///
    /// The one before may come again as long as its successor has not been used: the answer with it was lost. What is
    /// older has been stolen, or its successor has; then the session ends with all that came of it.
    func refreshSession(digest: String, to successor: String, at now: Timestamp, replayed: Ending) async throws
        -> SessionRefreshOutcome

    /// The session of a refresh cookie, used or not; `nil` when it is unknown.
    func session(refreshDigest: String) async throws -> WebSession?

    /// Whether using a refresh cookie would end its session: it is older than the one before the last, or a sibling was
    /// used in its place. Changes nothing.
    func isSuperseded(refreshDigest: String) async throws -> Bool
}

package enum SessionRefreshOutcome: Hashable, Sendable {
    case refreshed(WebSession)
    /// Unknown, or its session is over.
    case refused
    /// Stolen; the session has been ended, by this call or before.
    case replayed(Ended)
}
