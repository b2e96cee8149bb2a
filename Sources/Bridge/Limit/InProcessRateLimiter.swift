import Synchronization

/// The rate limiter of a single process.
///
/// A bucket is one number: the instant at which it is full again (the "generic cell rate" form of a token bucket).
/// A bucket that is full is forgotten, so what is kept is what was used lately.
package final class InProcessRateLimiter: RateLimiter {
    /// Which time the buckets fill by.
    package enum Clock: Sendable {
        /// The one that nobody sets: a wall clock that is set back lengthens no wait, one that jumps shortens none.
        case uptime(TimeSource)
        /// The parameter of each call, for tests that decide what time it is.
        case parameter
    }

    /// The `scope` of a refusal that no rule made: there was no room to count in.
    package static let fullScope = "limits.tracked_keys"

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

    /// More keys than this at once are an attack; new ones are then refused rather than uncounted, and the refusal
    /// says that there was no room (``fullScope``).
    private let capacity: Int
    private let state = Mutex(State())
    /// Milliseconds of the clock in use.
    private let reading: @Sendable (_ parameter: Timestamp) -> Int64

    package init(capacity: Int = 1_000_000, clock: Clock = .uptime(.system)) {
        self.capacity = capacity
        switch clock {
        case .uptime(let time):
            let beginning = time.uptime()
            reading = { _ in (time.uptime() - beginning).inMilliseconds }
        case .parameter: reading = { $0.milliseconds }
        }
    }

    package func take(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision {
        decide(keys, at: reading(now), taking: true)
    }

    package func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision {
        decide(keys, at: reading(now), taking: false)
    }

    package func giveBack(_ keys: [RateLimitKey], at now: Timestamp) {
        let now = reading(now)
        state.withLock { state in
            for key in keys {
                switch key.rule {
                case .bucket(let bucket): giveBack(key, bucket, at: now, in: &state)
                case .window: state.windows[Key(scope: key.scope, value: key.value)]?.giveBack(at: now)
                }
            }
        }
    }

    /// Why a key does not pass, and for how long.
    private struct Refusal {
        let wait: Duration
        let scope: String
    }

    private func decide(_ keys: [RateLimitKey], at now: Int64, taking: Bool) -> RateLimitDecision {
        state.withLock { state in
            var longest: Refusal?
            var granted: [(key: RateLimitKey, bucket: TokenBucket)] = []
            for key in keys {
                let refusal: Refusal? =
                    switch key.rule {
                    case .bucket(let bucket): attempt(key, bucket, at: now, taking: taking, in: &state)
                    case .window(let window): attempt(key, window, at: now, taking: taking, in: &state)
                    }
                if refusal == nil, taking, case .bucket(let bucket) = key.rule { granted.append((key, bucket)) }
                guard let refusal, refusal.wait > longest?.wait ?? .zero else { continue }
                longest = refusal
            }
            if longest != nil { for (key, bucket) in granted { giveBack(key, bucket, at: now, in: &state) } }
            return longest.map { .exceeded(retryAfter: $0.wait, scope: $0.scope) } ?? .allowed
        }
    }

    private func giveBack(_ key: RateLimitKey, _ bucket: TokenBucket, at now: Int64, in state: inout State) {
        let id = Key(scope: key.scope, value: key.value)
        guard let fullAt = state.fullAt[id] else { return }
        let before = fullAt - bucket.refillInterval.inMilliseconds
        state.fullAt[id] = before > now ? before : nil
    }

    /// Tries a key, and with `taking` counts the try.
    /// - Returns: `nil` when it passes.
    private func attempt(
        _ key: RateLimitKey, _ bucket: TokenBucket, at now: Int64, taking: Bool, in state: inout State
    ) -> Refusal? {
        let id = Key(scope: key.scope, value: key.value)
        let interval = bucket.refillInterval.inMilliseconds
        let fullAt = max(state.fullAt[id] ?? now, now)
        let afterTaking = fullAt + interval
        let capacityTime = interval * Int64(bucket.burst)
        guard afterTaking - now <= capacityTime else {
            return Refusal(wait: .milliseconds(afterTaking - now - capacityTime), scope: key.scope)
        }
        guard taking else { return nil }
        sweep(&state, at: now)
        guard state.fullAt.count < capacity || state.fullAt[id] != nil else {
            return Refusal(wait: .milliseconds(interval), scope: Self.fullScope)
        }
        state.fullAt[id] = afterTaking
        return nil
    }

    private func attempt(
        _ key: RateLimitKey, _ window: AttemptWindow, at now: Int64, taking: Bool, in state: inout State
    ) -> Refusal? {
        let id = Key(scope: key.scope, value: key.value)
        var count = state.windows[id] ?? AttemptCount()
        let refusal = count.attempt(in: window, at: now, taking: taking).map { Refusal(wait: $0, scope: key.scope) }
        guard taking else { return refusal }
        sweep(&state, at: now)
        guard state.windows.count < capacity || state.windows[id] != nil else {
            return Refusal(wait: window.duration, scope: Self.fullScope)
        }
        state.windows[id] = count
        return refusal
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
