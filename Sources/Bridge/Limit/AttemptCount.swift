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
            // Looking closes nothing; the attempt itself will.
            guard taking else { return window.block }
            isClosed = true
            endsAt = now + window.block.inMilliseconds
            return window.block
        }
        guard taking else { return nil }
        if attempts == 0 { endsAt = now + window.duration.inMilliseconds }
        attempts += 1
        return nil
    }
}
