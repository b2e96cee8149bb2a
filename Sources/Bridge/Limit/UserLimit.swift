import OAuth2

/// How often one signed-in user may have something made that stays.
package final class UserLimit: Sendable {
    /// The reason of `rate_limit.exceeded`.
    private let scope: String
    private let bucket: TokenBucket
    private let share: ClientShare?
    private let gate: LimitGate

    /// What of a user's limit one client may take. It stands in front of that limit: what a client is refused by its
    /// share takes nothing from the user's other clients.
    package struct ClientShare: Sendable {
        private let scope: String
        private let bucket: TokenBucket

        /// - Parameter scope: the reason of `rate_limit.exceeded`.
        package init(scope: String, bucket: TokenBucket) {
            self.scope = scope
            self.bucket = bucket
        }

        fileprivate func key(of subject: Subject, _ client: ClientID) -> RateLimitKey {
            // No client's id has a space.
            RateLimitKey(scope: scope, value: "\(client.rawValue) \(subject.rawValue)", bucket: bucket)
        }
    }

    /// - Parameters:
    ///   - scope: what is counted, such as `authorize.subject`.
    ///   - share: `nil` lets one client take all of it.
    package init(
        scope: String, bucket: TokenBucket, ofOneClient share: ClientShare? = nil, limiter: any RateLimiter,
        refusals: RefusalLog
    ) {
        self.scope = scope
        self.bucket = bucket
        self.share = share
        gate = LimitGate(limiter, refusals: refusals)
    }

    /// The limit of refreshes that one user's apps and web views may make.
    package static func refreshes(
        _ limits: LimitSettings, limiter: any RateLimiter, refusals: RefusalLog
    ) -> UserLimit {
        UserLimit(
            scope: "refresh.subject", bucket: limits.refreshPerSubject,
            ofOneClient: ClientShare(scope: "refresh.client", bucket: limits.refreshPerSubjectAndClient),
            limiter: limiter, refusals: refusals)
    }

    /// Takes one; a refusal is recorded.
    /// - Throws: `OAuthError` with the code and the text when there was none.
    func pass(
        of subject: Subject, client: ClientID, origin: RequestOrigin, at now: Timestamp, else code: ErrorCode,
        _ text: String
    ) async throws {
        try await gate.pass(
            keys(of: subject, client), of: subject, client: client, origin: origin, at: now, else: code, text)
    }

    /// Takes one; a refusal is recorded.
    func take(
        of subject: Subject, client: ClientID, origin: RequestOrigin, at now: Timestamp
    ) async throws -> RateLimitDecision {
        try await gate.take(keys(of: subject, client), of: subject, client: client, origin: origin, at: now)
    }

    private func keys(of subject: Subject, _ client: ClientID) -> [RateLimitKey] {
        let ofUser = RateLimitKey(scope: scope, value: subject.rawValue, bucket: bucket)
        return [share?.key(of: subject, client), ofUser].compactMap(\.self)
    }
}
