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
    ///
    /// An hour that begins with a full bucket spends the burst and what came back meanwhile, so only
    /// `perHour - burst` may come back within it.
    package init(burst: Int, perHour: Int) {
        let returning = max(1, perHour - burst)
        self.init(burst: burst, refillInterval: .milliseconds(3_600_000 / Int64(returning)))
    }

    /// So many at once and so many a minute.
    package init(perMinute: Int) {
        self.init(burst: perMinute, refillInterval: .milliseconds(60_000 / Int64(max(1, perMinute))))
    }
}
