/// Counts what may happen only so often.
package protocol RateLimiter: Sendable {
    /// Takes one from the bucket of every key, or from none: each bucket is one atomic step, and what one granted is
    /// given back when another refuses, so that what a device is refused costs its user and its network nothing. A
    /// window's attempt counts either way.
    /// - Returns: `.allowed` when every bucket had one, otherwise the longest wait.
    func take(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision

    /// Whether every bucket has one left, without taking it.
    func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision
}

package enum RateLimitDecision: Hashable, Sendable {
    case allowed
    /// - Parameters:
    ///   - retryAfter: until the refusing bucket has one again.
    ///   - scope: the refusing key's scope, for audit and metrics.
    case exceeded(retryAfter: Duration, scope: String)
}

/// What is counted, for whom, by which rule.
package struct RateLimitKey: Hashable, Sendable {
    package enum Rule: Hashable, Sendable {
        case bucket(TokenBucket)
        case window(AttemptWindow)
    }

    /// What is counted, such as `issue.subject`; a metric label, so never per user.
    package let scope: String
    /// For whom. Stores keep a digest of it.
    package let value: String
    package let rule: Rule

    package init(scope: String, value: String, bucket: TokenBucket) {
        self.scope = scope
        self.value = value
        rule = .bucket(bucket)
    }

    package init(scope: String, value: String, window: AttemptWindow) {
        self.scope = scope
        self.value = value
        rule = .window(window)
    }
}
