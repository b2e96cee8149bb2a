/// Slows down guessing: failures are counted for each account and each network (contract §12).
///
/// The name counts whether there is such an account or not; otherwise the limit would tell which names exist.
package struct SignInThrottle: Sendable {
    private let limiter: any RateLimiter
    private let limits: LimitSettings
    private let refusals: RefusalLog

    package init(limiter: any RateLimiter, limits: LimitSettings, refusals: RefusalLog) {
        self.limiter = limiter
        self.limits = limits
        self.refusals = refusals
    }

    /// How long to wait before an attempt may be made; `nil` for not at all.
    func wait(for username: Username?, origin: RequestOrigin, at now: Timestamp) async throws -> Duration? {
        let keys = limits.failedSignInKeys(username: username, origin: origin)
        guard case .exceeded(let wait, let scope) = try await limiter.peek(keys, at: now) else { return nil }
        try await refusals.limitExceeded(scope: scope, origin: origin, at: now)
        return wait
    }

    /// Counts a failure.
    /// - Returns: how long to wait when that was one too many.
    func countFailure(of username: Username?, origin: RequestOrigin, at now: Timestamp) async throws -> Duration? {
        let keys = limits.failedSignInKeys(username: username, origin: origin)
        guard case .exceeded(let wait, let scope) = try await limiter.take(keys, at: now) else { return nil }
        try await refusals.limitExceeded(scope: scope, origin: origin, at: now)
        return wait
    }
}
