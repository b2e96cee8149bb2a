import Synchronization

/// The rate limiter of a single process.
///
/// A bucket is one number: the instant at which it is full again (the "generic cell rate" form of a token bucket).
/// A bucket that is full is forgotten, so what is kept is what was used lately.
package final class InProcessRateLimiter: RateLimiter {
    /// Which time the buckets fill by.
    package enum Clock: Sendable {
        /// The monotonic one: a wall clock that is set back lengthens no wait, one that jumps shortens none.
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

    private struct Table {
        var fullAt: [Key: Int64] = [:]
        var windows: [Key: AttemptCount] = [:]
        /// The size at which full buckets are looked for next.
        var sweepSize = 4096
        /// No sweep before: a full table must not cost a sweep for every request.
        var nextSweep: Int64 = .min
    }

    private struct State {
        /// Buckets of names that anybody may have typed.
        private var typedNames = Table()
        private var others = Table()

        /// Strangers who type one name after another must not take the room of users, networks and apps.
        mutating func withTable<Outcome>(of key: RateLimitKey, _ body: (inout Table) -> Outcome) -> Outcome {
            key.isOfTypedName ? body(&typedNames) : body(&others)
        }
    }

    /// More keys than this at once in one table are an attack; new ones are then refused rather than uncounted, and the
    /// refusal says that there was no room (``fullScope``).
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
                state.withTable(of: key) { giveBack(key, at: now, in: &$0) }
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
            var granted: [RateLimitKey] = []
            for key in keys {
                let refusal: Refusal? = state.withTable(of: key) { table in
                    switch key.rule {
                    case .bucket(let bucket): attempt(key, bucket, at: now, taking: taking, in: &table)
                    case .window(let window): attempt(key, window, at: now, taking: taking, in: &table)
                    }
                }
                if refusal == nil, taking, case .bucket = key.rule { granted.append(key) }
                guard let refusal, refusal.wait > longest?.wait ?? .zero else { continue }
                longest = refusal
            }
            if longest != nil {
                for key in granted { state.withTable(of: key) { giveBack(key, at: now, in: &$0) } }
            }
            return longest.map { .exceeded(retryAfter: $0.wait, scope: $0.scope) } ?? .allowed
        }
    }

    private func giveBack(_ key: RateLimitKey, at now: Int64, in table: inout Table) {
        let id = Key(scope: key.scope, value: key.value)
        guard case .bucket(let bucket) = key.rule else {
            table.windows[id]?.giveBack(at: now)
            return
        }
        guard let fullAt = table.fullAt[id] else { return }
        let before = fullAt - bucket.refillInterval.inMilliseconds
        table.fullAt[id] = before > now ? before : nil
    }

    /// Tries a key, and with `taking` counts the attempt.
    /// - Returns: `nil` when it passes.
    private func attempt(
        _ key: RateLimitKey, _ bucket: TokenBucket, at now: Int64, taking: Bool, in table: inout Table
    ) -> Refusal? {
        let id = Key(scope: key.scope, value: key.value)
        let interval = bucket.refillInterval.inMilliseconds
        let fullAt = max(table.fullAt[id] ?? now, now)
        let afterTaking = fullAt + interval
        let capacityTime = interval * Int64(bucket.burst)
        guard afterTaking - now <= capacityTime else {
            return Refusal(wait: .milliseconds(afterTaking - now - capacityTime), scope: key.scope)
        }
        guard taking else { return nil }
        sweep(&table, at: now)
        guard table.fullAt.count < capacity || table.fullAt[id] != nil else {
            return Refusal(wait: .milliseconds(interval), scope: Self.fullScope)
        }
        table.fullAt[id] = afterTaking
        return nil
    }

    private func attempt(
        _ key: RateLimitKey, _ window: AttemptWindow, at now: Int64, taking: Bool, in table: inout Table
    ) -> Refusal? {
        let id = Key(scope: key.scope, value: key.value)
        var count = table.windows[id] ?? AttemptCount()
        let refusal = count.attempt(in: window, at: now, taking: taking).map { Refusal(wait: $0, scope: key.scope) }
        guard taking else { return refusal }
        sweep(&table, at: now)
        guard table.windows.count < capacity || table.windows[id] != nil else {
            return Refusal(wait: window.duration, scope: Self.fullScope)
        }
        table.windows[id] = count
        return refusal
    }

    private func sweep(_ table: inout Table, at now: Int64) {
        let count = table.fullAt.count + table.windows.count
        guard count >= min(table.sweepSize, capacity), now >= table.nextSweep else { return }
        table.fullAt = table.fullAt.filter { $0.value > now }
        table.windows = table.windows.filter { $0.value.endsAt > now }
        table.sweepSize = max(4096, (table.fullAt.count + table.windows.count) * 2)
        table.nextSweep = now + 1000
    }
}
