/// Slows down guessing: failures are counted for each account and each network, by the minute and by the day (contract
/// §12). A browser that is known for the account is counted for itself alone (``KnownBrowsers``).
///
/// The name counts whether there is such an account or not; otherwise the limit would tell which names exist.
package final class SignInThrottle: Sendable {
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
    /// - Parameter subject: whose account has the name, if any has.
    func wait(
        for username: Username?, of subject: Subject?, guessing guess: Guess, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        try await told(
            limiter.peek(keys(of: username, subject, guess, origin, at: now), at: now), origin: origin, at: now)
    }

    /// Counts a failure; or, ahead of looking at a guess, the guess itself.
    /// - Returns: how long to wait when that was one too many.
    func count(
        _ guess: Guess, of username: Username?, _ subject: Subject?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        try await told(
            limiter.take(keys(of: username, subject, guess, origin, at: now), at: now), origin: origin, at: now)
    }

    private func keys(
        of username: Username?, _ subject: Subject?, _ guess: Guess, _ origin: RequestOrigin, at now: Timestamp
    ) -> [RateLimitKey] {
        if let subject, let mark = knownBrowsers?.mark(of: subject, in: origin.recognition, at: now) {
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

extension LimitSettings {
    func failedSignInKeys(
        username: Username?, _ guess: SignInThrottle.Guess, origin: RequestOrigin
    ) -> [RateLimitKey] {
        var keys: [RateLimitKey] = []
        if let username {
            keys.append(RateLimitKey(scope: "sign_in.account", value: username.key, bucket: failedSignIn))
            keys.append(dailyKey(guess, value: "account \(username.key)"))
        }
        keys += networkKey("sign_in.network", of: origin, failedSignIn)
        // Who has one /64 of IPv6 most likely has the networks next to it.
        for (network, factor) in origin.address?.widerNetworks ?? [] {
            keys.append(
                RateLimitKey(
                    scope: "sign_in.network", value: network.description, bucket: failedSignIn.multiplied(by: factor)))
        }
        return keys
    }

    /// - Parameter mark: of ``KnownBrowsers``.
    func failedSignInKeys(knownBrowser mark: String, _ guess: SignInThrottle.Guess) -> [RateLimitKey] {
        [
            RateLimitKey(scope: "sign_in.browser", value: mark, bucket: failedSignIn),
            dailyKey(guess, value: "browser \(mark)"),
        ]
    }

    private func dailyKey(_ guess: SignInThrottle.Guess, value: String) -> RateLimitKey {
        switch guess {
        case .password: RateLimitKey(scope: "sign_in.password_day", value: value, bucket: wrongPasswordPerDay)
        case .code: RateLimitKey(scope: "sign_in.code_day", value: value, bucket: wrongCodePerDay)
        }
    }
}
