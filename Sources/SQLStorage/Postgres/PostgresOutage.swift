/// While a server is away, asks for it less and less often, so that callers are refused at once and not one by one
/// after a deadline.
struct PostgresOutage {
    private var failure: SQLFailure?
    private var nextAttempt = ContinuousClock.now
    private var pause = shortest

    private static let shortest = Duration.milliseconds(50)
    private static let longest = Duration.milliseconds(1000)

    /// - Throws: the last attempt's ``SQLFailure``, when it is too early for another.
    func check() throws {
        if let failure, .now < nextAttempt { throw failure }
    }

    /// - Returns: whether the outage has begun with this failure.
    mutating func note(_ failure: SQLFailure) -> Bool {
        let isFirst = self.failure == nil
        // Whatever it was, nothing can be done now: a write that is run again would meet the same.
        self.failure = SQLFailure(kind: .unavailable, text: failure.text)
        // Nodes that lost their server together should not come back in step.
        nextAttempt = .now + pause * Double.random(in: 0.5...1)
        pause = min(pause * 2, Self.longest)
        return isFirst
    }

    /// - Returns: whether there was an outage.
    mutating func end() -> Bool {
        defer {
            failure = nil
            pause = Self.shortest
        }
        return failure != nil
    }
}
