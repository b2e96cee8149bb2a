/// News of sessions that any node ended, as they end.
///
/// Makes revocation quicker than the poll of ``WebSessions/refresh()``, which stays: news can be missed while the
/// connection that brings them is away.
package protocol SessionEndFeed: Sendable {
    /// The ids as they come, until the task that reads them is cancelled.
    func sessionEnds() -> AsyncStream<SessionID>
}
