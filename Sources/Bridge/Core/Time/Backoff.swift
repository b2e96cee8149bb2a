/// How long to wait before something is tried again: doubled with every failure up to a ceiling, and a random half of it
/// left out, so that the nodes of a fleet do not all come back in the same moment.
package struct Backoff: Sendable {
    private let first: Duration
    private let ceiling: Duration
    private var failures = 0

    /// - Parameters:
    ///   - first: the longest that the first wait may be.
    ///   - ceiling: the longest that any may be.
    package init(first: Duration, ceiling: Duration) {
        self.first = first
        self.ceiling = max(first, ceiling)
    }

    /// The longest that the next wait may be.
    package var longest: Duration { min(ceiling, first * (1 << min(failures, 20))) }

    /// The wait after one more failure.
    /// - Parameter dice: from 0 up to 1.
    package mutating func next(_ dice: Double = .random(in: 0..<1)) -> Duration {
        let half = longest / 2
        failures += 1
        return half + half * dice
    }

    /// It has gone well: the next failure is the first again.
    package mutating func reset() { failures = 0 }
}
