import Bridge

/// How long to wait before the next attempt: doubled with every failure, and a random half of it left out, so that the
/// nodes of a fleet do not all come back in the same moment.
struct RedisBackoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private var failures = 0

    init(limits: RedisLimits) {
        shortest = limits.shortestBackoff
        longest = max(limits.shortestBackoff, limits.longestBackoff)
    }

    mutating func next() -> Duration {
        let full = min(longest, shortest * (1 << min(failures, 20)))
        failures += 1
        return full / 2 + .milliseconds(Int64.random(in: 0...max(0, (full / 2).inMilliseconds)))
    }

    /// A connection lived for `lifetime`. One that ended at once, as behind a proxy without a server, is a failure too.
    mutating func noteLifetime(_ lifetime: Duration) {
        if lifetime > longest { failures = 0 }
    }
}
