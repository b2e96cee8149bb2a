/// A shared rate limiter that is replaced by the process's own while it is away (contract §12).
///
/// The own one starts with full buckets, so an outage grants at most one more burst per key and node.
package struct FailoverRateLimiter: RateLimiter {
    private let shared: any RateLimiter
    private let own: InProcessRateLimiter
    private let degradation: Degradation

    package init(_ shared: any RateLimiter, own: InProcessRateLimiter, degradation: Degradation) {
        self.shared = shared
        self.own = own
        self.degradation = degradation
    }

    package func take(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        try await degradation.run {
            try await shared.take(keys, at: now)
        } orElse: { _ in
            own.take(keys, at: now)
        }
    }

    package func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        try await degradation.run {
            try await shared.peek(keys, at: now)
        } orElse: { _ in
            own.peek(keys, at: now)
        }
    }

    package func giveBack(_ keys: [RateLimitKey], at now: Timestamp) async throws {
        try await degradation.run {
            try await shared.giveBack(keys, at: now)
        } orElse: { _ in
            own.giveBack(keys, at: now)
        }
    }
}
