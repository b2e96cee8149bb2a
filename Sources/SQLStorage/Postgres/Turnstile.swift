import Synchronization

/// Lets callers in one at a time, in the order they came; one that has waited for too long is turned away.
final class Turnstile: Sendable {
    private struct Waiter {
        let number: Int
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isTaken = false
        var waiting: [Waiter] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())
    private let patience: Duration

    /// - Parameter patience: how long a caller waits for its turn.
    init(patience: Duration) { self.patience = patience }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when its turn comes.
    /// - Throws: what `body` throws; ``SQLError`` when the turn does not come in time; `CancellationError` when the task
    ///   is cancelled while it waits.
    func turn<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        let number: Int? = state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return }
        let deadline = ContinuousClock.now + patience
        let timer = Task {
            guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
            turnAway(number, Self.late)
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(Waiter(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            turnAway(number, CancellationError())
        }
    }

    private func enter(_ waiter: Waiter) {
        let answer: Result<Void, any Error>? = state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return .success(())
            }
            // Asked under the lock: a caller that is cancelled or late from now on is found among those that wait.
            if Task.isCancelled { return .failure(CancellationError()) }
            if ContinuousClock.now >= waiter.deadline { return .failure(Self.late) }
            state.waiting.append(waiter)
            return nil
        }
        if let answer { waiter.continuation.resume(with: answer) }
    }

    private func turnAway(_ number: Int, _ reason: any Error) {
        let waiter: Waiter? = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: reason)
    }

    private func leave() {
        let next: Waiter? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume()
    }

    private static let late = SQLError(kind: .unavailable, text: "too many long reads are waiting")
}
