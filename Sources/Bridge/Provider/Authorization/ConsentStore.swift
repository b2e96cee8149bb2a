/// What users have allowed apps to have.
package protocol ConsentStore: Sendable {
    /// The scopes that the user has allowed the client; `nil` when never asked.
    func consent(of subject: Subject, to client: ClientID) async throws -> Set<String>?

    /// Adds scopes to what the user has allowed, and records the event.
    func rememberConsent(
        of subject: Subject, to client: ClientID, scopes: Set<String>, at now: Timestamp, event: AuditEvent
    ) async throws
}
