/// The queue of ends that clients with a webhook are told; it survives a restart.
///
/// Filled by every verb that ends a session or a device, in its transaction.
package protocol WebhookStore: Sendable {
    /// Says whose ends are queued from now on, by any process on this database.
    func setWebhookSubscribers(_ clients: Set<ClientID>) async throws

    /// Takes notices that are due: of any number of nodes one gets each.
    /// - Parameters:
    ///   - lease: after which a notice that was not settled is due again.
    ///   - busy: clients whose notices are left for later.
    /// - Returns: at most `limit`, of each client a few at a time.
    func takeWebhookNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [WebhookNotice]

    /// Has a notice tried again later.
    func postponeWebhookNotice(_ id: String, until next: Timestamp) async throws

    /// Takes a notice off the queue and records how it went.
    func settleWebhookNotice(_ id: String, event: AuditEvent) async throws
}
