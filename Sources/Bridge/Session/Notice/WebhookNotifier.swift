package import Logging

/// Posts a notice to a client's website.
package protocol WebhookDelivery: Sendable {
    /// Never follows a redirect, and reads no more of the answer than its status.
    /// - Returns: the status; `nil` when there was none in time.
    func post(_ body: [UInt8], signature: String, id: String, to uri: String, timeout: Duration) async -> Int?
}

/// Where the secrets of webhooks are read.
package protocol WebhookSecretSource: Sendable {
    /// The secrets in force, the youngest first.
    /// - Throws: why there is none, in words for the operator that hold no secret.
    func secrets(named name: String) throws -> [Secret<[UInt8]>]
}

/// Tells websites what has ended: works off the durable queue, and tries again for a day what was not taken.
package final class WebhookNotifier: NoticeQueueWorker {
    /// How long a receiver may take.
    static let timeout = Duration.seconds(5)
    /// A node that dies with a notice in hand leaves it to another after this.
    static let lease = Duration.seconds(30)
    /// A day in all, so that a website may be away for a night.
    static let retries = RetryPlan(
        pauses: [1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800].map { .seconds($0) })
    /// Thirty hours.
    static let patience = NoticePatience(limit: .seconds(108_000))
    private static let batch = 32

    private let store: any WebhookStore
    private let clients: Reloadable<ClientDirectory>
    private let secrets: any WebhookSecretSource
    private let delivery: any WebhookDelivery
    private let time: TimeSource
    private let logger: Logger
    private let inFlight = NoticesInFlight()
    private let subscription: NoticeSubscription

    package init(
        store: any WebhookStore, clients: Reloadable<ClientDirectory>, secrets: any WebhookSecretSource,
        delivery: any WebhookDelivery, time: TimeSource, logger: Logger = Logger(label: "drawbridge.webhook")
    ) {
        self.store = store
        self.clients = clients
        self.secrets = secrets
        self.delivery = delivery
        self.time = time
        self.logger = logger
        subscription = NoticeSubscription { try await store.changeWebhookSubscribers(adding: $0, removing: $1) }
    }

    package func subscribe() async throws { try await subscription.tell(clients.current.webhookSubscribers) }

    package func takeDue() async throws -> [WebhookNotice] {
        let notices = try await store.takeWebhookNotices(
            dueAt: time.now(), lease: Self.lease, limit: Self.batch, sparing: inFlight.busy)
        for notice in notices { inFlight.begin(notice.clientID) }
        return notices
    }

    package func deliver(_ notice: WebhookNotice) async {
        defer { inFlight.end(notice.clientID) }
        do {
            guard let problem = await problem(posting: notice) else { return try await settle(notice) }
            // A forced stop of this process is not the receiver's fault: the lease brings the notice back.
            guard !Task.isCancelled else { return }
            guard problem != .noReceiver else { return try await leaveToOthers(notice) }
            guard let pause = Self.retries.pause(after: notice.attempts) else {
                return try await settle(notice, failing: problem)
            }
            try await store.postponeWebhookNotice(notice.id, until: time.now() + pause)
        } catch {
            // Its lease brings it back.
            logger.warning("a webhook notice was not settled", metadata: ["error": "\(error)"])
        }
    }

    private func leaveToOthers(_ notice: WebhookNotice) async throws {
        let now = time.now()
        guard let wait = Self.patience.wait(at: now - notice.endedAt) else {
            try await settle(notice, failing: .noReceiver)
            // Else a node that knows the webhook has tried.
            if notice.attempts == 1 { try await subscription.takeOut(notice.clientID) }
            return
        }
        try await store.giveBackWebhookNotice(notice.id, until: now + wait)
    }

    /// - Returns: why the notice was not taken; `nil` when it was.
    private func problem(posting notice: WebhookNotice) async -> NoticeFailure? {
        // The client has no webhook here; that of another node may.
        guard let webhook = clients.current[notice.clientID]?.webhook else { return .noReceiver }
        let keys: [Secret<[UInt8]>]
        do {
            keys = try secrets.secrets(named: webhook.secretFile)
        } catch {
            logger.error(
                "a webhook has no secret", metadata: ["client_id": "\(notice.clientID)", "error": "\(error)"])
            return .noSecret
        }
        let body = notice.body
        let status = await delivery.post(
            body, signature: WebhookSignature.header(of: body, secrets: keys, at: time.now()), id: notice.id,
            to: webhook.uri, timeout: Self.timeout)
        if let status, (200..<300).contains(status) { return nil }
        return NoticeFailure(lastStatus: status)
    }

    private func settle(_ notice: WebhookNotice, failing failure: NoticeFailure? = nil) async throws {
        try await store.settleWebhookNotice(
            notice.id,
            event: AuditEvent(
                at: time.now(), type: failure == nil ? .webhookSent : .webhookFailed,
                outcome: failure == nil ? .success : .failure, reason: failure?.reason, subject: notice.subject,
                targetClientID: notice.clientID,
                sessionID: notice.kind == .deviceRevoked ? nil : SessionID(rawValue: notice.objectID)))
    }
}
