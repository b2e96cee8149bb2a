import Bridge
import Synchronization

/// Who waits for a write that is made to see whether it succeeds: until it is told, or for as many looks as a write may
/// wait for its turn.
final class WriteProbe: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var looksLeft: Int
    }

    private let state: Mutex<State>

    init(looks: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        state = Mutex(State(continuation: continuation, looksLeft: looks))
    }

    /// Tells it how the write went, unless it has been told before.
    func end(_ result: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume(with: result)
    }

    /// Counts a look.
    /// - Returns: whether it goes on waiting.
    func look() -> Bool {
        let isLate = state.withLock { state in
            state.looksLeft -= 1
            return state.looksLeft <= 0
        }
        if isLate { end(.failure(PendingWrite.late)) }
        return state.withLock { $0.continuation != nil }
    }
}
