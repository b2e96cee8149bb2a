import OAuth2

/// How often one signed-in user may have something made that stays.
package final class UserLimit: Sendable {
    /// The reason of `rate_limit.exceeded`.
    let scope: String
    private let bucket: TokenBucket
    private let limiter: any RateLimiter
    private let refusals: RefusalLog

    /// - Parameter scope: what is counted, such as `authorize.subject`.
    package init(scope: String, bucket: TokenBucket, limiter: any RateLimiter, refusals: RefusalLog) {
        self.scope = scope
        self.bucket = bucket
        self.limiter = limiter
        self.refusals = refusals
    }

    /// Takes one; a refusal is recorded.
    /// - Returns: how long to wait; `nil` when there was one.
    func take(
        of subject: Subject, client: ClientID, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        let key = RateLimitKey(scope: scope, value: subject.rawValue, bucket: bucket)
        guard case .exceeded(let wait, let scope) = try await limiter.take([key], at: now) else { return nil }
        try await refusals.limitExceeded(scope: scope, subject: subject, clientID: client, origin: origin, at: now)
        return wait
    }
}
