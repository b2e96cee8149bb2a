import OAuth2

/// How often one signed-in user may have something made that stays.
package final class UserLimit: Sendable {
    /// The reason of `rate_limit.exceeded`.
    let scope: String
    private let bucket: TokenBucket
    private let gate: LimitGate

    /// - Parameter scope: what is counted, such as `authorize.subject`.
    package init(scope: String, bucket: TokenBucket, limiter: any RateLimiter, refusals: RefusalLog) {
        self.scope = scope
        self.bucket = bucket
        gate = LimitGate(limiter, refusals: refusals)
    }

    /// Takes one; a refusal is recorded.
    /// - Throws: `OAuthError` with the code and the text when there was none.
    func pass(
        of subject: Subject, client: ClientID, origin: RequestOrigin, at now: Timestamp, else code: ErrorCode,
        _ text: String
    ) async throws {
        try await gate.pass(
            [key(of: subject)], of: subject, client: client, origin: origin, at: now, else: code, text)
    }

    /// Takes one; a refusal is recorded.
    /// - Returns: how long to wait; `nil` when there was one.
    func take(
        of subject: Subject, client: ClientID, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        try await gate.take([key(of: subject)], of: subject, client: client, origin: origin, at: now).retryAfter
    }

    private func key(of subject: Subject) -> RateLimitKey {
        RateLimitKey(scope: scope, value: subject.rawValue, bucket: bucket)
    }
}
