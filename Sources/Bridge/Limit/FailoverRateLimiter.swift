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
        } endedBy: {
            // A refusal is due to what was counted before, and a request without keys asks no server.
            $0 == .allowed && !keys.isEmpty
        } orElse: { _ in
            own.take(keys, at: now)
        }
    }

    /// Asks both: a shared limiter that is full or read-only answers this, and knows nothing of what was counted here.
    /// For the same reason, an answer does not say that it is back.
    package func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        let found = own.peek(keys, at: now)
        guard found == .allowed else { return found }
        do {
            return try await shared.peek(keys, at: now)
        } catch let error as StorageError {
            degradation.begin(because: error)
            return found
        }
    }

    /// Gives back to both: which of them counted is not noted. One that did not has nothing of these keys, or at most
    /// what another attempt took.
    package func giveBack(_ keys: [RateLimitKey], at now: Timestamp) async throws {
        own.giveBack(keys, at: now)
        do {
            try await shared.giveBack(keys, at: now)
        } catch let error as StorageError {
            // Giving back what was not taken writes nothing, so only a refusal says something.
            degradation.begin(because: error)
        }
    }
}
