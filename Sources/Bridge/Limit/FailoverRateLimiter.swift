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
        do {
            return answered(try await shared.take(keys, at: now))
        } catch let error as StorageError {
            degradation.begin(because: error)
            return own.take(keys, at: now)
        }
    }

    package func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        do {
            return answered(try await shared.peek(keys, at: now))
        } catch let error as StorageError {
            degradation.begin(because: error)
            return own.peek(keys, at: now)
        }
    }

    package func giveBack(_ keys: [RateLimitKey], at now: Timestamp) async throws {
        do {
            try await shared.giveBack(keys, at: now)
        } catch let error as StorageError {
            degradation.begin(because: error)
            own.giveBack(keys, at: now)
        }
    }

    private func answered(_ decision: RateLimitDecision) -> RateLimitDecision {
        degradation.end()
        return decision
    }
}
