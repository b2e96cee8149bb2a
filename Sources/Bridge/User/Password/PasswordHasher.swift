import Dispatch

/// Hashes passwords on threads of its own, a few at a time; a caller that comes while too many wait is turned away.
///
/// A hash takes a fifth of a second of a core on purpose. On the threads that serve requests a handful of sign-ins
/// would stop everything else, and without a bound so would anyone who sends many.
package final class PasswordHasher: Sendable {
    private let turnstile: Turnstile
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
        turnstile = Turnstile(
            width: width, maximumWaiting: maximumWaiting, patience: nil,
            refusal: StorageError.unavailable("too many sign-ins are waiting"))
        decoy = PasswordHash(ofNothingAt: cost, random: random)
    }

    /// Runs `body` when its turn comes; no more than `width` bodies run at once.
    ///
    /// What bounds guesses belongs inside, so that of many at once no more get past it than are hashed at once. What is
    /// committed does not: a database that hangs would keep everyone from hashing.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when too many wait; `CancellationError` when the task is
    ///   cancelled while it waits.
    package func turn<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await turnstile.turn(body)
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
}
