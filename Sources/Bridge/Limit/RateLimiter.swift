/// Counts what may happen only so often.
///
/// Each verb throws ``StorageError/unavailable(_:because:)`` where nothing can be counted, and `CancellationError` in a
/// task that is cancelled, when it may have been counted.
package protocol RateLimiter: Sendable {
    /// Takes one from the bucket of every key, or from none: each bucket is one atomic step, and what one granted is
    /// given back when another refuses, so that what a device is refused costs its user and its network nothing. A
    /// window's attempt counts either way.
    /// - Returns: `.allowed` when every bucket had one, otherwise the longest wait.
    func take(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision

    /// Whether every bucket has one left, without taking it.
    func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision

    /// Gives back what an allowed ``take(_:at:)`` took: for guesses, which are counted before it is known that they are
    /// wrong, so that no two at once go uncounted. A window that has closed stays closed.
    func giveBack(_ keys: [RateLimitKey], at now: Timestamp) async throws
}

/// The outcome of counting a request: it may go on, or has to wait (contract §12).
package enum RateLimitDecision: Hashable, Sendable {
    case allowed
    /// - Parameters:
    ///   - retryAfter: until the refusing bucket has one again.
    ///   - scope: the refusing key's scope, for audit and metrics.
    case exceeded(retryAfter: Duration, scope: String)
}

/// What is counted, for whom, by which rule.
package struct RateLimitKey: Hashable, Sendable {
    /// How much is allowed: a rate that refills steadily, or a number of attempts until a window closes.
    package enum Rule: Hashable, Sendable {
        case bucket(TokenBucket)
        case window(AttemptWindow)
    }

    /// What is counted, such as `issue.subject`; a metric label, so never per user.
    package let scope: String
    /// For whom. Stores keep a digest of it.
    package let value: String
    package let rule: Rule
    /// Whether the value holds a name that anyone may have typed. There is no end of those, so where the room to count
    /// in is limited, they have a room of their own.
    package let isOfTypedName: Bool

    package init(scope: String, value: String, bucket: TokenBucket, isOfTypedName: Bool = false) {
        self.scope = scope
        self.value = value
        rule = .bucket(bucket)
        self.isOfTypedName = isOfTypedName
    }

    package init(scope: String, value: String, window: AttemptWindow, isOfTypedName: Bool = false) {
        self.scope = scope
        self.value = value
        rule = .window(window)
        self.isOfTypedName = isOfTypedName
    }
}

/// Lets everything pass: for load tests, by an explicit switch only.
package struct UnlimitedRateLimiter: RateLimiter {
    package init() {}
    package func take(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
    package func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
    package func giveBack(_ keys: [RateLimitKey], at now: Timestamp) {}
}

/// How often an ``AttemptWindow`` was used, and whether it is closed.
struct AttemptCount {
    private var attempts = 0
    private(set) var endsAt: Int64 = .min
    private var isClosed = false

    /// - Returns: how long it stays closed; `nil` when this attempt passes.
    mutating func attempt(in window: AttemptWindow, at now: Int64, taking: Bool) -> Duration? {
        if now >= endsAt { self = AttemptCount() }
        if isClosed { return .milliseconds(endsAt - now) }
        guard attempts < window.count else {
            // Never before the window would have ended: one attempt too many does not gain another window.
            let blockEnd = max(endsAt, now + window.block.inMilliseconds)
            // Looking closes nothing; the attempt itself will.
            guard taking else { return .milliseconds(blockEnd - now) }
            isClosed = true
            endsAt = blockEnd
            return .milliseconds(blockEnd - now)
        }
        guard taking else { return nil }
        if attempts == 0 { endsAt = now + window.duration.inMilliseconds }
        attempts += 1
        return nil
    }

    mutating func giveBack(at now: Int64) {
        guard !isClosed, now < endsAt, attempts > 0 else { return }
        attempts -= 1
    }
}

/// So many attempts from the first one on, then none for a while.
///
/// Unlike a bucket it says "ten a minute" to the letter, and one attempt too many closes it for the whole block.
package struct AttemptWindow: Hashable, Sendable {
    package let count: Int
    package let duration: Duration
    /// How long it stays closed after one attempt too many, at least until the window ends; attempts meanwhile do not
    /// lengthen it.
    package let block: Duration

    package init(count: Int, per duration: Duration, block: Duration) {
        self.count = max(1, count)
        self.duration = max(.milliseconds(1), duration)
        self.block = max(.milliseconds(1), block)
    }

    /// A window of so many times as many attempts.
    package func multiplied(by factor: Int) -> AttemptWindow {
        AttemptWindow(count: count * factor, per: duration, block: block)
    }
}
