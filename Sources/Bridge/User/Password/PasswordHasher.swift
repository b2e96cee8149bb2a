import Dispatch
import Synchronization

/// Hashes passwords on threads of its own, a few at a time; whoever comes while too many wait is turned away.
///
/// A hash takes a fifth of a second of a core on purpose. On the threads that serve requests a handful of sign-ins
/// would stop everything else, and without a bound so would anyone who sends many.
package final class PasswordHasher: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, any Error>] = []
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

    /// Runs `body` when its turn comes. What must not change between a check and a hash belongs inside: no more than
    /// `width` bodies run at once.
    /// - Throws: ``StorageError/unavailable(_:)`` when too many wait.
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
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            enum Entry { case now, later, never }
            let entry: Entry = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return .now
                }
                guard state.waiting.count < maximumWaiting else { return .never }
                state.waiting.append(continuation)
                return .later
            }
            switch entry {
            case .now: continuation.resume()
            case .later: break
            case .never: continuation.resume(throwing: StorageError.unavailable("too many sign-ins are waiting"))
            }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
