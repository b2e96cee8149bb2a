import Synchronization

/// The rate limiter of a single process.
///
/// A bucket is one number: the instant at which it is full again (the "generic cell rate" form of a token bucket).
/// A bucket that is full is forgotten, so what is kept is what was used lately.
package final class InProcessRateLimiter: RateLimiter {
    private struct Key: Hashable {
        let scope: String
        let value: String
    }

    private struct State {
        var fullAt: [Key: Int64] = [:]
        var windows: [Key: AttemptCount] = [:]
        /// The size at which full buckets are looked for next.
        var sweepSize = 4096
        /// No sweep before: a full table must not cost a sweep for every request.
        var nextSweep: Int64 = .min
    }

    /// More keys than this at once are an attack; new ones are then refused rather than uncounted.
    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = 1_000_000) {
        self.capacity = capacity
    }

    package func take(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision {
        decide(keys, at: now, taking: true)
    }

    package func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision {
        decide(keys, at: now, taking: false)
    }

    private func decide(_ keys: [RateLimitKey], at now: Timestamp, taking: Bool) -> RateLimitDecision {
        state.withLock { state in
            var decision = RateLimitDecision.allowed
            var longest = Duration.zero
            for key in keys {
                let wait: Duration? =
                    switch key.rule {
                    case .bucket(let bucket):
                        wait(for: key, bucket, at: now.milliseconds, taking: taking, in: &state)
                    case .window(let window):
                        wait(for: key, window, at: now.milliseconds, taking: taking, in: &state)
                    }
                guard let wait, wait > longest else { continue }
                longest = wait
                decision = .exceeded(retryAfter: wait, scope: key.scope)
            }
            return decision
        }
    }

    /// - Returns: how long until the bucket has one again; `nil` when it has one now.
    private func wait(
        for key: RateLimitKey, _ bucket: TokenBucket, at now: Int64, taking: Bool, in state: inout State
    ) -> Duration? {
        let id = Key(scope: key.scope, value: key.value)
        let interval = bucket.refillInterval.inMilliseconds
        let fullAt = max(state.fullAt[id] ?? now, now)
        let afterTaking = fullAt + interval
        let capacityTime = interval * Int64(bucket.burst)
        guard afterTaking - now <= capacityTime else { return .milliseconds(afterTaking - now - capacityTime) }
        guard taking else { return nil }
        sweep(&state, at: now)
        guard state.fullAt.count < capacity || state.fullAt[id] != nil else { return .milliseconds(interval) }
        state.fullAt[id] = afterTaking
        return nil
    }

    /// - Returns: how long until the window opens again; `nil` when it is open now.
    private func wait(
        for key: RateLimitKey, _ window: AttemptWindow, at now: Int64, taking: Bool, in state: inout State
    ) -> Duration? {
        let id = Key(scope: key.scope, value: key.value)
        var count = state.windows[id] ?? AttemptCount()
        let wait = count.attempt(in: window, at: now, taking: taking)
        guard taking else { return wait }
        sweep(&state, at: now)
        guard state.windows.count < capacity || state.windows[id] != nil else {
            return .milliseconds(window.duration.inMilliseconds)
        }
        state.windows[id] = count
        return wait
    }

    private func sweep(_ state: inout State, at now: Int64) {
        let count = state.fullAt.count + state.windows.count
        guard count >= min(state.sweepSize, capacity), now >= state.nextSweep else { return }
        state.fullAt = state.fullAt.filter { $0.value > now }
        state.windows = state.windows.filter { $0.value.endsAt > now }
        state.sweepSize = max(4096, (state.fullAt.count + state.windows.count) * 2)
        state.nextSweep = now + 1000
    }
}
