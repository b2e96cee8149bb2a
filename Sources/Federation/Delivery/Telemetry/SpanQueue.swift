package import Bridge
import Synchronization

/// Spans that wait to be sent: so many and no more, because no request may wait for a receiver.
package final class SpanQueue: Sendable {
    /// Beyond it spans are dropped.
    package static let capacity = 2048
    /// How many spans go in one post.
    package static let batchSize = 512

    private struct State {
        var waiting: [FinishedSpan] = []
        var dropped = 0
    }

    private let state = Mutex(State())
    private let isDue: @Sendable () -> Void

    /// - Parameter isDue: called when a whole batch waits; must return at once.
    package init(isDue: @escaping @Sendable () -> Void) { self.isDue = isDue }

    /// Takes a span, or counts it where there is no room.
    package func add(_ span: FinishedSpan) {
        let isDue = state.withLock { state -> Bool in
            guard state.waiting.count < Self.capacity else {
                state.dropped += 1
                return false
            }
            state.waiting.append(span)
            return state.waiting.count.isMultiple(of: Self.batchSize)
        }
        if isDue { self.isDue() }
    }

    /// The oldest ones.
    package func takeBatch() -> [FinishedSpan] {
        state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.batchSize))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// How many had no room since this was asked last.
    package func takeDropped() -> Int {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }
}
