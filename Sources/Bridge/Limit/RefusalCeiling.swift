/// How many events a second, that change nothing, one node writes at most.
package struct RefusalCeiling: Sendable {
    package static let defaultPerSecond = 20
    /// How long a quiet node may exceed the rate: an ordinary accident is written down whole.
    private static let burstSeconds = 10

    private let all: TokenBucket
    private let anonymous: TokenBucket
    /// Of its own: the keys of others must not take its room.
    private let limiter: InProcessRateLimiter

    /// - Parameter perSecond: events, at least 1.
    package init(perSecond: Int = defaultPerSecond, clock: InProcessRateLimiter.Clock = .uptime(.system)) {
        all = TokenBucket(perSecond: perSecond, for: Self.burstSeconds)
        anonymous = TokenBucket(perSecond: max(1, perSecond / 2), for: Self.burstSeconds)
        limiter = InProcessRateLimiter(clock: clock)
    }

    /// Takes room for an event.
    ///
    /// Those about nobody known get half of it at most. Whoever sends rubbish by the million must not be able to push
    /// out of the log what is about a user or about a token of ours.
    func admits(_ event: AuditEvent) -> Bool {
        let isNamed = event.subject != nil || event.tokenID != nil
        if !isNamed {
            let key = RateLimitKey(scope: "audit.ceiling", value: "anonymous", bucket: anonymous)
            guard case .allowed = limiter.take([key], at: event.at) else { return false }
        }
        let key = RateLimitKey(scope: "audit.ceiling", value: "all", bucket: all)
        return limiter.take([key], at: event.at) == .allowed
    }
}
