import Dispatch
import Synchronization

/// Hashes passwords on threads of its own, a few at a time; a caller that comes while too many wait is turned away.
///
/// A hash takes a fifth of a second of a core on purpose. On the threads that serve requests a handful of sign-ins
/// would stop everything else, and without a bound so would anyone who sends many.
package final class PasswordHasher: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var free: Int
        var waiting: [Waiter] = []
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let maximumWaiting: Int
    private let queue = DispatchQueue(label: "drawbridge.passwords", qos: .utility, attributes: .concurrent)
    package let cost: PasswordCost
    private let random: RandomSource
    /// Stands in for the hash of an account that is not there.
    private let decoy: PasswordHash

    /// - Parameters:
    ///   - width: hashes computed at once.
    ///   - maximumWaiting: sign-ins that wait for their turn; further ones are refused.
    package init(
        cost: PasswordCost = .standard, width: Int = 2, maximumWaiting: Int = 64, random: RandomSource = .system
    ) {
        self.cost = cost
        self.random = random
        self.maximumWaiting = maximumWaiting
        state = Mutex(State(free: max(1, width)))
        decoy = PasswordHash(ofNothingAt: cost, random: random)
    }

    /// Runs `body` when its turn comes; no more than `width` bodies run at once.
    ///
    /// What bounds guesses belongs inside, so that of many at once no more get past it than are hashed at once. What is
    /// committed does not: a database that hangs would keep everyone from hashing.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when too many wait; `CancellationError` when the task is
    ///   cancelled while it waits.
    package func turn<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    /// The hash of a new password.
    package func hash(_ password: Secret<String>) async throws -> PasswordHash {
        try await compute { [cost, random] in try PasswordHash(password, cost: cost, random: random) }
    }

    /// Whether a password is right. Without a hash the answer is no, and takes as long.
    package func verify(_ password: Secret<String>, against hash: PasswordHash?) async throws -> Bool {
        let isRight = try await compute { [decoy] in try (hash ?? decoy).matches(password) }
        return isRight && hash != nil
    }

    private func compute<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    private func enter() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(Waiter(number: number, continuation: continuation))
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func enter(_ waiter: Waiter) {
        enum Entry { case now, later, cancelled, never }
        let entry: Entry = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return .now
            }
            // Asked under the lock: a caller that is cancelled later is found among those who wait.
            if Task.isCancelled { return .cancelled }
            guard state.waiting.count < maximumWaiting else { return .never }
            state.waiting.append(waiter)
            return .later
        }
        switch entry {
        case .now: waiter.continuation.resume()
        case .later: break
        case .cancelled: waiter.continuation.resume(throwing: CancellationError())
        case .never: waiter.continuation.resume(throwing: StorageError.unavailable("too many sign-ins are waiting"))
        }
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
