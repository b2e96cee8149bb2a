import Bridge
import Synchronization

/// While a server is away, lets one connection after another ask for it, less and less often, so that callers are
/// refused at once and not one by one after a deadline. Shared by the connections of a process: the first that gets
/// through ends the outage for all of them.
final class PostgresOutage: Sendable {
    /// What was known when an attempt began.
    struct Attempt {
        fileprivate let successes: Int
    }

    private struct State {
        var failure: SQLError?
        var nextAttempt = ContinuousClock.now
        var pause = Backoff(first: .milliseconds(50), ceiling: .seconds(1))
        /// Attempts that got through, ever.
        var successes = 0
    }

    private let state = Mutex(State())

    /// - Throws: the last attempt's ``SQLError``, when it is too early for another.
    func begin(now: ContinuousClock.Instant = .now) throws -> Attempt {
        try state.withLock { state in
            if let failure = state.failure {
                guard now >= state.nextAttempt else { throw failure }
                // One asks; the others are refused until that one knows more.
                state.nextAttempt = now + state.pause.longest
            }
            return Attempt(successes: state.successes)
        }
    }

    /// - Returns: whether the outage has begun with this failure.
    func note(_ failure: SQLError, of attempt: Attempt, now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            // Another connection got through since this one began: what failed here belongs to the past.
            guard attempt.successes == state.successes else { return false }
            let isFirst = state.failure == nil
            // Whatever it was, nothing can be done now: a write that is run again would meet the same.
            state.failure = SQLError(kind: .unavailable, text: failure.text, cause: failure.cause)
            state.nextAttempt = now + state.pause.next()
            return isFirst
        }
    }

    /// - Returns: whether there was an outage.
    func end() -> Bool {
        state.withLock { state in
            let wasAway = state.failure != nil
            state.failure = nil
            state.pause.reset()
            state.successes += 1
            return wasAway
        }
    }
}
