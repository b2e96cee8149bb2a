import Bridge
import Synchronization

/// Lets one through a minute: of what anybody can cause as often as they like, the service log hears no more often.
final class OnceAMinute: Sendable {
    private let time: TimeSource
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(time: TimeSource) { self.time = time }

    /// Whether it has been a minute since this was true.
    func isDue() -> Bool {
        let now = time.uptime()
        return last.withLock { last in
            if let last, now - last < .seconds(60) { return false }
            last = now
            return true
        }
    }
}
