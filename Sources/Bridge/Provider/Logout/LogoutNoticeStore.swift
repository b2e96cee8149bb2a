/// The queue of sessions whose end a client wants to hear of; it survives a restart.
///
/// Filled by the verbs of ``SessionStore`` and others that end sessions, in their transaction.
package protocol LogoutNoticeStore: Sendable {
    /// As ``WebhookStore/changeWebhookSubscribers(adding:removing:)``.
    func changeLogoutSubscribers(adding added: Set<ClientID>, removing removed: Set<ClientID>) async throws

    /// Takes notices that are due: each goes to one node, however many ask.
    /// - Parameters:
    ///   - lease: after which a notice that was not settled is due again.
    ///   - busy: clients whose notices are left for later.
    /// - Returns: at most `limit`, a few for each client.
    func takeLogoutNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [LogoutNotice]

    /// Has a notice tried again later.
    func postponeLogoutNotice(_ id: String, until next: Timestamp) async throws

    /// As ``WebhookStore/giveBackWebhookNotice(_:until:)``.
    func giveBackLogoutNotice(_ id: String, until next: Timestamp) async throws

    /// Takes a notice off the queue and records how it went.
    func settleLogoutNotice(_ id: String, event: AuditEvent) async throws
}

/// That a session of a client has ended.
package struct LogoutNotice: Hashable, Sendable {
    package let id: String
    package let clientID: ClientID
    package let subject: Subject
    package let sessionID: SessionID
    package let createdAt: Timestamp
    /// How often it was taken.
    package var attempts: Int

    package init(
        id: String, clientID: ClientID, subject: Subject, sessionID: SessionID, createdAt: Timestamp, attempts: Int
    ) {
        self.id = id
        self.clientID = clientID
        self.subject = subject
        self.sessionID = sessionID
        self.createdAt = createdAt
        self.attempts = attempts
    }
}
