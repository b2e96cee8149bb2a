package import Bridge
import Synchronization

/// A wall clock that can be set, beside the clock that nobody sets.
///
/// It pretends to be a machine's two clocks. Both stand still until a test moves them.
package final class SettableClock: Sendable {
    private let readings: Mutex<(wall: Timestamp, uptime: ContinuousClock.Instant)>

    package init(_ start: Timestamp) { readings = Mutex((wall: start, uptime: ContinuousClock.now)) }

    package var source: TimeSource {
        TimeSource({ [self] in readings.withLock { $0.wall } }, uptime: { [self] in readings.withLock { $0.uptime } })
    }
    package var now: Timestamp { readings.withLock { $0.wall } }

    /// Time goes by.
    package func advance(_ duration: Duration) {
        readings.withLock { $0 = ($0.wall + duration, $0.uptime.advanced(by: duration)) }
    }

    /// Somebody sets the wall clock; no time goes by.
    package func set(by duration: Duration) { readings.withLock { $0.wall = $0.wall + duration } }
}
