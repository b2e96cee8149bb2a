package import Logging
import Synchronization

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
    /// How long after its end a notice waits for a node that knows the webhook: longer than such a node tries, for whom
    /// those that do not know it may put off each try a little.
    static let patience = Duration.seconds(108_000)
    /// The shortest and the longest time after which a notice that no node could post is looked at again.
    static let waits = Duration.seconds(1)...Duration.seconds(600)
    private static let batch = 32

    private let store: any WebhookStore
    private let clients: Reloadable<ClientDirectory>
    private let secrets: any WebhookSecretSource
    private let delivery: any WebhookDelivery
    private let time: TimeSource
    private let logger: Logger
    private let inFlight = NoticesInFlight()
    /// Whose ends the store was last told to queue.
    private let subscribers = Mutex<Set<ClientID>>([])

    package init(
        store: any WebhookStore, clients: Reloadable<ClientDirectory>, secrets: any WebhookSecretSource,
        delivery: any WebhookDelivery, time: TimeSource = .system, logger: Logger = Logger(label: "drawbridge.webhook")
    ) {
        self.store = store
        self.clients = clients
        self.secrets = secrets
        self.delivery = delivery
        self.time = time
        self.logger = logger
    }

    /// Tells the store which clients have a webhook here, and which of them no longer have.
    ///
    /// Nodes may know different clients for a while. A notice too many is dropped after some hours more than a day, and one that was never
    /// queued is lost; so a client stays subscribed for as long as any node knows its webhook: each node puts its own
    /// back, and takes out none that only others know.
    package func subscribe() async throws {
        let wanted = clients.current.webhookSubscribers
        let gone = subscribers.withLock { $0 }.subtracting(wanted)
        try await store.changeWebhookSubscribers(adding: wanted, removing: gone)
        subscribers.withLock { $0 = wanted }
    }

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
            // A forced stop of this process is no fault of the receiver's: the lease brings the notice back.
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

    /// Nodes that do not know the webhook use up none of the attempts of those that do; so age alone ends the wait.
    private func leaveToOthers(_ notice: WebhookNotice) async throws {
        let now = time.now()
        let age = now - notice.endedAt
        guard age < Self.patience else {
            try await settle(notice, failing: .noReceiver)
            // A node that knows it has tried.
            guard notice.attempts == 1 else { return }
            // The file may have lost the webhook with a restart, in which no node saw it go; one that knows it puts it
            // back.
            return try await store.changeWebhookSubscribers(adding: [], removing: [notice.clientID])
        }
        // Soon where another node is likely to have it, and seldom where nobody had it for long.
        let wait = min(max(age / 4, Self.waits.lowerBound), Self.waits.upperBound)
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
