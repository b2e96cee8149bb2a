import Synchronization

/// Requests on their way to one connection, from any thread.
///
/// The first of a burst asks for an event-loop task; those that come before it runs ride along in one write.
final class RedisOutbox: Sendable {
    enum Offer {
        case refused(RedisConnectionError)
        case queued
        /// Queued, and no write of the queue has been asked for yet.
        case queuedFirst
    }

    private struct State {
        var waiting: [RedisRequest] = []
        var isWriteDue = false
        /// Waiting or unanswered.
        var outstanding = 0
        var isStalled = false
        var isDead = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func offer(_ request: RedisRequest) -> Offer {
        state.withLock { state in
            // Under the same lock as the end of the connection: a caller that is resumed by that end and sends its
            // next command at once must not leave it where it is never looked for.
            if state.isDead { return .refused(.closed) }
            if state.isStalled { return .refused(.stalled) }
            if state.outstanding >= limit { return .refused(.queueFull) }
            state.outstanding += 1
            state.waiting.append(request)
            if state.isWriteDue { return .queued }
            state.isWriteDue = true
            return .queuedFirst
        }
    }

    func takeWaiting() -> [RedisRequest] {
        state.withLock { state in
            state.isWriteDue = false
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
    }

    /// Notes that a request needs nothing more from the connection.
    func settle() { state.withLock { $0.outstanding -= 1 } }

    func setStalled(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

    /// Refuses everything from now on.
    /// - Returns: what was not written yet.
    func die() -> [RedisRequest] {
        state.withLock { state in
            state.isDead = true
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
    }
}
