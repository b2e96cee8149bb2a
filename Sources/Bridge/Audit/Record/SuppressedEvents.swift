import Synchronization

/// How many events were not written because there were too many, by type, since it was last told.
final class SuppressedEvents: Sendable {
    private struct State {
        var counts: [AuditEventType: Int] = [:]
        /// When the first of them would have been written.
        var since: Timestamp?
    }

    private let state = Mutex(State())

    func count(_ event: AuditEvent) {
        state.withLock { state in
            state.counts[event.type, default: 0] += 1
            state.since = state.since ?? event.at
        }
    }

    func take() -> (counts: [AuditEventType: Int], since: Timestamp?) {
        state.withLock { state in
            defer { state = State() }
            return (state.counts, state.since)
        }
    }

    /// Takes in what could not be told.
    func putBack(_ counts: [AuditEventType: Int], since: Timestamp) {
        state.withLock { state in
            state.counts.merge(counts, uniquingKeysWith: +)
            state.since = since
        }
    }
}
