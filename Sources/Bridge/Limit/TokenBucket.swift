/// A bucket of `burst` tokens that refills steadily.
package struct TokenBucket: Hashable, Sendable {
    /// How many may come at once, at least 1.
    package let burst: Int
    /// The time in which one token comes back.
    package let refillInterval: Duration

    package init(burst: Int, refillInterval: Duration) {
        self.burst = max(1, burst)
        self.refillInterval = max(.milliseconds(1), refillInterval)
    }

    /// A burst, and a cap that no stretch of an hour exceeds.
    package init(burst: Int, perHour: Int) { self.init(burst: burst, cap: perHour, in: 3_600_000) }

    /// A cap that no stretch of a day exceeds, half of it at once at most.
    package init(perDay: Int) { self.init(burst: max(1, perDay / 2), cap: perDay, in: 86_400_000) }

    /// A span that begins with a full bucket spends the burst and what came back meanwhile, so only `cap - burst` may
    /// come back within it.
    private init(burst: Int, cap: Int, in milliseconds: Int64) {
        // Rounded up: one more than the cap must not come back by a fraction of a millisecond.
        let returning = Int64(max(1, cap - burst))
        self.init(burst: burst, refillInterval: .milliseconds((milliseconds + returning - 1) / returning))
    }

    /// So many a second, and what they are in so many seconds at once.
    package init(perSecond: Int, for seconds: Int) {
        self.init(
            burst: max(1, perSecond) * max(1, seconds), refillInterval: .milliseconds(1000 / Int64(max(1, perSecond))))
    }

    /// So many at once and so many a minute.
    package init(perMinute: Int) {
        self.init(burst: perMinute, refillInterval: .milliseconds(60_000 / Int64(max(1, perMinute))))
    }

    /// So many times as wide and as quick.
    package func multiplied(by factor: Int) -> TokenBucket {
        TokenBucket(burst: burst * factor, refillInterval: refillInterval / factor)
    }
}
