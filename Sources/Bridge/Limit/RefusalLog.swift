import OAuth2

/// Writes down what was refused and why: the outside is told one bland thing, the audit log the reason.
///
/// The one gate for every event that changes nothing: what a request caused that was refused, repeated or sent by an
/// unknown caller. Each costs a row that stays, so they have bounds: those that a caller names, and a ceiling per node.
/// Past a bound an event is counted instead, and ``writeSuppressed(at:)`` says how many there were. Events of changes
/// never come this way: they are written by the change's own verb, always.
package final class RefusalLog: Sendable {
    private let audit: any AuditLog
    private let limiter: any RateLimiter
    private let ceiling: RefusalCeiling
    private let suppressed = SuppressedEvents()

    /// - Parameter limiter: a separate one, never lifted: it bounds how much the log grows, not what users may do.
    package init(audit: any AuditLog, limiter: any RateLimiter, ceiling: RefusalCeiling = RefusalCeiling()) {
        self.audit = audit
        self.limiter = limiter
        self.ceiling = ceiling
    }

    /// Writes an event, unless there were too many of them.
    /// - Parameters:
    ///   - isByAnybody: whether anyone can cause it, whomever it names: then it has the room of those that name no
    ///     user, so that neither a full log nor the time of an answer tells whether there is such a user.
    ///   - bounds: limits of the caller's own, besides the ceiling.
    package func record(
        _ event: AuditEvent, byAnybody isByAnybody: Bool = false, within bounds: RateLimitKey...
    ) async throws {
        guard try await admits(event, byAnybody: isByAnybody, within: bounds) else { return countLeftOut(event) }
        try await audit.append([event])
    }

    /// As ``record(_:byAnybody:within:)``, for an event that a store's verb writes along with what it finds.
    /// - Returns: whether it is to be written where it comes with nothing else. One that the verb left out then is to be
    ///   counted; one that it wrote with a change is in the log, and must not be.
    func admits(
        _ event: AuditEvent, byAnybody isByAnybody: Bool = false, within bounds: [RateLimitKey]
    ) async throws -> Bool {
        // Where there is no room to count in, the ceiling alone decides: no caller can hide behind a flood of other
        // keys.
        if !bounds.isEmpty, case .exceeded(_, let scope) = try await limiter.take(bounds, at: event.at),
            scope != InProcessRateLimiter.fullScope
        {
            return false
        }
        return ceiling.admits(event, byAnybody: isByAnybody)
    }

    /// Counts an event that was not admitted, once it is certain that nothing wrote it.
    func countLeftOut(_ event: AuditEvent) { suppressed.count(event) }

    /// Writes how many events were counted instead of written since the last time; nothing when there were none.
    /// - Returns: the counts, by type.
    @discardableResult
    package func writeSuppressed(at now: Timestamp) async throws -> [AuditEventType: Int] {
        let counts = suppressed.take()
        guard let since = counts.since else { return [:] }
        do {
            try await audit.append([
                AuditEvent(
                    at: now, type: .auditSuppressed, outcome: .success, reason: AuditTally.suppressedReason,
                    detail: counts.detail(since: since))
            ])
        } catch {
            suppressed.putBack(counts)
            throw error
        }
        return counts.all
    }

    /// A limit that was hit. Written at most once a minute for each network, scope and user: a caller over a limit must
    /// not be able to fill the log instead.
    package func limitExceeded(
        scope: String, subject: Subject?, clientID: ClientID?, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await record(
            AuditEvent(
                at: now, type: .rateLimitExceeded, outcome: .failure, reason: scope, subject: subject,
                clientID: clientID, origin: origin),
            within: .network("audit.\(scope)", of: origin, and: subject?.rawValue ?? "", perMinute: 1))
    }
}

extension RateLimitKey {
    /// So many a minute of one network.
    /// - Parameter further: what is counted apart within it, such as a user.
    static func network(
        _ scope: String, of origin: RequestOrigin, and further: String = "", perMinute count: Int
    ) -> RateLimitKey {
        RateLimitKey(
            scope: scope, value: "\(origin.networkName) \(further)", bucket: TokenBucket(perMinute: count))
    }

    /// Three events of one thing that may come again and again for ever, such as a login token whose signature holds;
    /// then it is only counted, for a day after the last.
    static func repeats(of id: String) -> RateLimitKey {
        RateLimitKey(
            scope: "audit.repeats", value: id, bucket: TokenBucket(burst: 3, refillInterval: .seconds(86_400)))
    }
}

/// How many events a second, that change nothing, one node writes at most.
package struct RefusalCeiling: Sendable {
    package static let defaultPerSecond = 20
    /// How long a quiet node may exceed the rate: an ordinary accident is written down whole.
    private static let burstSeconds = 10

    private let all: TokenBucket
    private let anonymous: TokenBucket
    /// A separate one: the keys of others must not take its room.
    private let limiter: InProcessRateLimiter

    /// - Parameter perSecond: events, at least 1.
    package init(perSecond: Int = defaultPerSecond, clock: InProcessRateLimiter.Clock = .uptime(.system)) {
        all = TokenBucket(perSecond: perSecond, for: Self.burstSeconds)
        anonymous = TokenBucket(perSecond: max(1, perSecond / 2), for: Self.burstSeconds)
        limiter = InProcessRateLimiter(clock: clock)
    }

    /// Takes room for an event.
    ///
    /// Those about no known user, and those that anyone can cause at will, get half of it at most. A sender of rubbish
    /// by the million must not be able to push out of the log what is about a user or about a token of ours.
    /// - Parameter isByAnybody: whether anyone can cause it, whomever it names.
    func admits(_ event: AuditEvent, byAnybody isByAnybody: Bool = false) -> Bool {
        let isNamed = !isByAnybody && (event.subject != nil || event.tokenID != nil)
        if !isNamed {
            let key = RateLimitKey(scope: "audit.ceiling", value: "anonymous", bucket: anonymous)
            guard case .allowed = limiter.take([key], at: event.at) else { return false }
        }
        let key = RateLimitKey(scope: "audit.ceiling", value: "all", bucket: all)
        return limiter.take([key], at: event.at) == .allowed
    }
}
