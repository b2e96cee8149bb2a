import Foundation

/// Where the current instant comes from: a parameter everywhere, so that tests decide what time it is.
///
/// Two readings. What is compared with a recorded instant, such as a token's `exp`, is asked of the wall clock,
/// ``now()``. A span that this process measures in memory is asked of ``uptime()``, which cannot be set (ADR-0010).
package struct TimeSource: Sendable {
    private let read: @Sendable () -> Timestamp
    private let readUptime: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - read: the wall clock.
    ///   - uptime: the monotonic clock; `nil` for one that goes with `read`, as in a test that moves time on.
    package init(
        _ read: @escaping @Sendable () -> Timestamp, uptime: (@Sendable () -> ContinuousClock.Instant)? = nil
    ) {
        self.read = read
        readUptime = uptime ?? { Self.origin.advanced(by: .milliseconds(read().milliseconds)) }
    }

    /// The wall clock's instant, which may jump either way when the clock is set.
    package func now() -> Timestamp { read() }

    /// An instant that only grows, at the pace of real time; it means nothing outside this process.
    package func uptime() -> ContinuousClock.Instant { readUptime() }

    /// The machine's clocks. The only place that reads them.
    package static let system = TimeSource(
        { Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
        uptime: { ContinuousClock.now })

    private static let origin = ContinuousClock.now

    /// The clocks of nodes may be apart by this much (ADR-0010).
    package static let nodeTolerance = Duration.seconds(5)

    /// What must not be forgotten while any node takes it to be alive is kept longer by this: much more than clocks
    /// should be apart.
    static let keptLonger = Duration.seconds(60)
}
