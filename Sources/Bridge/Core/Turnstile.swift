import Synchronization

/// Lets a few callers in at once, and the others in the order they came; one that finds too many waiting, or has waited
/// for too long, is turned away.
package final class Turnstile: Sendable {
    private struct Waiter {
        let number: Int
        /// `nil` where it waits as long as it takes.
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var free: Int
        var waiting: [Waiter] = []
        var lastNumber = 0

        /// - Returns: whether there was a free place.
        mutating func takePlace() -> Bool {
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    private let state: Mutex<State>
    private let maximumWaiting: Int
    private let patience: Duration?
    private let refusal: any Error

    /// - Parameters:
    ///   - width: callers that are inside at once; at least one is.
    ///   - maximumWaiting: callers that wait for their turn, of which further ones are turned away; `nil` for any number.
    ///   - patience: how long a caller waits for its turn before it is turned away; `nil` for as long as it takes.
    ///   - refusal: what a caller is told that is turned away.
    package init(width: Int, maximumWaiting: Int?, patience: Duration?, refusal: any Error) {
        state = Mutex(State(free: max(1, width)))
        self.maximumWaiting = maximumWaiting ?? .max
        self.patience = patience
        self.refusal = refusal
    }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when its turn comes.
    /// - Throws: what `body` throws; the refusal when the turn does not come; `CancellationError` when the task is
    ///   cancelled while it waits.
    package func turn<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        let number: Int? = state.withLock { state in
            if state.takePlace() { return nil }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return }
        let deadline = patience.map { ContinuousClock.now + $0 }
        let timer = deadline.map { startTimer(of: number, until: $0) }
        defer { timer?.cancel() }
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
            if state.takePlace() { return .success(()) }
            // Asked under the lock: a caller that is cancelled or late from now on is found among those that wait.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let deadline = waiter.deadline, ContinuousClock.now >= deadline { return .failure(refusal) }
            guard state.waiting.count < maximumWaiting else { return .failure(refusal) }
            state.waiting.append(waiter)
            return nil
        }
        if let answer { waiter.continuation.resume(with: answer) }
    }

    private func startTimer(of number: Int, until deadline: ContinuousClock.Instant) -> Task<Void, Never> {
        Task {
            guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
            turnAway(number, refusal)
        }
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
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume()
    }
}
