import Bridge
import Synchronization

/// What time it is for what is removed for good.
///
/// A wall clock that is set ahead would have a purge take what is still needed, and retention cut the audit log, with
/// signatures that are good; setting it right brings nothing back. So what it gains on the clock that nobody sets
/// (ADR-0010) counts only after a day, in which somebody can see to it. Until then things are removed by the time that
/// went by, not left lying: a machine that was paused, whose other clock may have stood still, goes on a day late for
/// as long as it was paused, however often that happens.
final class PurgeClock: Sendable {
    /// More than a clock gains that is being kept right.
    static let tolerance = Duration.seconds(60)
    /// How long ago a gain must have been before it counts.
    static let patience = Duration.seconds(86_400)

    struct Reading: Hashable {
        let now: Timestamp
        /// What the wall clock has gained since it was last read, beyond what it may.
        var jump: Duration?
    }

    private struct State {
        /// What was returned last, and what the other clock showed then.
        var believed: (wall: Timestamp, uptime: ContinuousClock.Instant)
        /// What the wall clock gained within the last day, the oldest first.
        var pending: [(gain: Duration, since: ContinuousClock.Instant)] = []
    }

    private let state: Mutex<State>

    /// - Parameter time: what it shows now is believed; what is known besides, ``DatabaseClock`` says. So a server reads
    ///   it as it starts, not at its first purge: what was set meanwhile would be believed, too.
    init(startingAt time: TimeSource) {
        state = Mutex(State(believed: (wall: time.now(), uptime: time.uptime())))
    }

    func read(_ time: TimeSource) -> Reading {
        let wall = time.now()
        let uptime = time.uptime()
        return state.withLock { state in
            var pending = state.pending
            var now = state.believed.wall + (uptime - state.believed.uptime)
            let known = pending.reduce(Duration.zero) { $0 + $1.gain }
            let news = wall - now - known
            if news > Self.tolerance {
                pending.append((gain: news, since: uptime))
            } else if news + Self.tolerance < .zero {
                now = now - Self.takeBack(.zero - news, from: &pending)
            } else {
                now = now + news
            }
            while let first = pending.first, uptime - first.since >= Self.patience {
                now = now + first.gain
                pending.removeFirst()
            }
            state = State(believed: (wall: now, uptime: uptime), pending: pending)
            return Reading(now: now, jump: news > Self.tolerance ? news : nil)
        }
    }

    /// A clock that is set back loses first what it had gained last.
    /// - Returns: what it lost beyond that.
    private static func takeBack(
        _ loss: Duration, from pending: inout [(gain: Duration, since: ContinuousClock.Instant)]
    ) -> Duration {
        var loss = loss
        while loss > .zero, let last = pending.popLast() {
            if last.gain > loss { pending.append((gain: last.gain - loss, since: last.since)) }
            loss = max(.zero, loss - last.gain)
        }
        return loss
    }
}
