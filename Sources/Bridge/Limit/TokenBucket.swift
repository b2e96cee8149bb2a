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
        self.init(burst: burst, refillInterval: Self.interval(of: cap - burst, in: milliseconds))
    }

    /// So many a second, and what they are in so many seconds at once; none comes back sooner than after a millisecond.
    package init(perSecond: Int, for seconds: Int) {
        self.init(
            burst: max(1, perSecond) * max(1, seconds), refillInterval: Self.interval(of: perSecond, in: 1000))
    }

    /// A bucket of so many at once and so many a minute.
    package init(perMinute: Int) {
        self.init(burst: perMinute, refillInterval: Self.interval(of: perMinute, in: 60_000))
    }

    /// After which of `count` tokens in a span the next one comes back.
    ///
    /// Rounded up: one more than these must not come back by a fraction of a millisecond.
    private static func interval(of count: Int, in milliseconds: Int64) -> Duration {
        let count = Int64(max(1, count))
        return .milliseconds((milliseconds + count - 1) / count)
    }

    /// A bucket that is so many times as wide and as quick.
    package func multiplied(by factor: Int) -> TokenBucket {
        TokenBucket(burst: burst * factor, refillInterval: refillInterval / factor)
    }

    /// A bucket with such a part of the burst, rounded up, that refills so many times as slowly.
    package func divided(by parts: Int) -> TokenBucket {
        TokenBucket(burst: (burst + parts - 1) / parts, refillInterval: refillInterval * parts)
    }
}
