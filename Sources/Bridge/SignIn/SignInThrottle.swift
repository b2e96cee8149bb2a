/// Slows down guessing: failures are counted for each account and each network, by the minute and by the day (contract
/// §12). A browser that is known for the account is counted for itself alone (``KnownBrowsers``).
///
/// The name counts whether there is such an account or not; otherwise the limit would tell which names exist.
package struct SignInThrottle: Sendable {
    /// What is guessed.
    enum Guess: Sendable { case password, code }

    private let limiter: any RateLimiter
    private let limits: LimitSettings
    private let refusals: RefusalLog
    /// `nil` without a master key: then every browser is a stranger.
    let knownBrowsers: KnownBrowsers?

    package init(
        limiter: any RateLimiter, limits: LimitSettings, refusals: RefusalLog, knownBrowsers: KnownBrowsers? = nil
    ) {
        self.limiter = limiter
        self.limits = limits
        self.refusals = refusals
        self.knownBrowsers = knownBrowsers
    }

    /// How long to wait before an attempt may be made; `nil` for not at all.
    func wait(
        for username: Username?, guessing guess: Guess, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        try await told(
            limiter.peek(keys(of: username, guess, origin, at: now), at: now), origin: origin, at: now)
    }

    /// Counts a failure; or, ahead of looking at a guess, the guess itself.
    /// - Returns: how long to wait when that was one too many.
    func count(
        _ guess: Guess, of username: Username?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        try await told(
            limiter.take(keys(of: username, guess, origin, at: now), at: now), origin: origin, at: now)
    }

    private func keys(
        of username: Username?, _ guess: Guess, _ origin: RequestOrigin, at now: Timestamp
    ) -> [RateLimitKey] {
        if let username, let mark = knownBrowsers?.mark(of: username, in: origin.recognition, at: now) {
            return limits.failedSignInKeys(knownBrowser: mark, guess)
        }
        return limits.failedSignInKeys(username: username, guess, origin: origin)
    }

    private func told(
        _ decision: RateLimitDecision, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        guard case .exceeded(let wait, let scope) = decision else { return nil }
        try await refusals.limitExceeded(scope: scope, origin: origin, at: now)
        return wait
    }
}
