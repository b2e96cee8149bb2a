package import Logging

/// Carries a logout token to a client (OpenID Connect Back-Channel Logout §2.5).
package protocol LogoutDelivery: Sendable {
    /// Posts the token; never follows a redirect.
    func deliver(_ token: Secret<String>, to uri: String, timeout: Duration) async -> LogoutDeliveryOutcome
}

/// What a client answered to a logout token (Back-Channel Logout §2.8).
package enum LogoutDeliveryOutcome: Hashable, Sendable {
    /// 200 or 204.
    case accepted
    /// Another answer, which asking again would not change.
    case refused(status: Int)
    /// A 5xx, or `nil` where no server was there or answered in time; to be asked again.
    case failed(status: Int?)
}

/// Tells clients which of their sessions ended: works off the durable queue, and tries again what failed.
package final class LogoutNotifier: NoticeQueueWorker {
    /// How long a client may take.
    static let timeout = Duration.seconds(3)
    /// A node that dies with a notice in hand leaves it to another after this.
    static let lease = Duration.seconds(15)
    /// Contract §5.8.
    static let retries = RetryPlan(pauses: [.seconds(1), .seconds(10), .seconds(60)])
    /// Far more than the retries: a node that knows the address may have a long queue for it to work off.
    static let patience = NoticePatience(limit: .seconds(21_600))
    private static let batch = 32

    private let store: any LogoutNoticeStore
    private let clients: Reloadable<ClientDirectory>
    private let tokens: IDTokenCodec
    private let delivery: any LogoutDelivery
    private let time: TimeSource
    private let random: RandomSource
    private let logger: Logger
    private let inFlight = NoticesInFlight()
    private let subscription: NoticeSubscription

    package init(
        store: any LogoutNoticeStore, clients: Reloadable<ClientDirectory>, tokens: IDTokenCodec,
        delivery: any LogoutDelivery, time: TimeSource, random: RandomSource = .system,
        logger: Logger = Logger(label: "drawbridge.logout")
    ) {
        self.store = store
        self.clients = clients
        self.tokens = tokens
        self.delivery = delivery
        self.time = time
        self.random = random
        self.logger = logger
        subscription = NoticeSubscription { try await store.changeLogoutSubscribers(adding: $0, removing: $1) }
    }

    package func subscribe() async throws { try await subscription.tell(clients.current.logoutSubscribers) }

    package func takeDue() async throws -> [LogoutNotice] {
        let notices = try await store.takeLogoutNotices(
            dueAt: time.now(), lease: Self.lease, limit: Self.batch, sparing: inFlight.busy)
        for notice in notices { inFlight.begin(notice.clientID) }
        return notices
    }

    /// Delivers what is due, and comes back when all that is under way is done or patience is over; what is left then
    /// goes on by itself.
    package func deliverSoon(within patience: Duration) async {
        // Whichever comes first; no child of a group, since a group waits for all of its children.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        // Never cancelled: what it has begun is finished, even when its caller gives up.
        let delivering = Task {
            do {
                _ = try await deliverDue()
            } catch {
                // Who reads the queue from time to time comes by them.
                logger.warning("due logout notices were not read", metadata: ["error": "\(error)"])
            }
        }
        let idle = Task {
            await delivering.value
            await inFlight.becameIdle()
            end.finish()
        }
        let waiting = Task {
            try? await Task.sleep(for: patience)
            end.finish()
        }
        for await _ in ends {}
        idle.cancel()
        waiting.cancel()
    }

    package func deliver(_ notice: LogoutNotice) async {
        defer { inFlight.end(notice.clientID) }
        do {
            let outcome = try await outcome(of: notice)
            // A forced stop of this process is not the receiver's fault: the lease brings the notice back.
            if case .failed = outcome, Task.isCancelled { return }
            try await settle(notice, outcome)
        } catch {
            // Its lease brings it back.
            logger.warning("a logout notice was not settled", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: `nil` when this node knows no receiver.
    private func outcome(of notice: LogoutNotice) async throws -> LogoutDeliveryOutcome? {
        guard let client = clients.current[notice.clientID], let uri = client.backchannelLogoutURI else { return nil }
        let token = try tokens.signLogoutToken(
            notice, algorithm: client.idTokenAlgorithm, id: random.text(16), at: time.now())
        return await delivery.deliver(token, to: uri, timeout: Self.timeout)
    }

    private func settle(_ notice: LogoutNotice, _ outcome: LogoutDeliveryOutcome?) async throws {
        switch outcome {
        case .accepted:
            try await settle(notice)
        case .refused(let status):
            try await settle(notice, failing: .status(status))
        case .failed(let status):
            if let pause = Self.retries.pause(after: notice.attempts) {
                try await store.postponeLogoutNotice(notice.id, until: time.now() + pause)
            } else {
                try await settle(notice, failing: NoticeFailure(lastStatus: status))
            }
        case nil:
            try await leaveToOthers(notice)
        }
    }

    private func leaveToOthers(_ notice: LogoutNotice) async throws {
        let now = time.now()
        guard let wait = Self.patience.wait(at: now - notice.createdAt) else {
            try await settle(notice, failing: .noReceiver)
            // Else a node that knows where to tell it has tried.
            if notice.attempts == 1 { try await subscription.takeOut(notice.clientID) }
            return
        }
        try await store.giveBackLogoutNotice(notice.id, until: now + wait)
    }

    private func settle(_ notice: LogoutNotice, failing failure: NoticeFailure? = nil) async throws {
        try await store.settleLogoutNotice(
            notice.id,
            event: AuditEvent(
                at: time.now(), type: failure == nil ? .logoutNoticeSent : .logoutNoticeFailed,
                outcome: failure == nil ? .success : .failure, reason: failure?.reason, subject: notice.subject,
                clientID: notice.clientID, sessionID: notice.sessionID))
    }
}
