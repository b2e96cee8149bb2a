import Bridge
import Logging
import OAuth2
import Synchronization

/// A JWK set over HTTP: kept, renewed from time to time, and renewed early when a token names a key it lacks.
final class RemoteKeySet: KeySource {
    private struct State {
        var set: KeySet?
        var fetchedAt: Timestamp?
        var attemptedAt: Timestamp?
        var isLastAttemptGood = false
        /// The fetch under way, which every caller joins.
        var fetch: Task<KeySet?, Never>?
        var generation = 0
    }

    private let issuer: String
    private let limits: FetchLimits
    private let logger: Logger
    private let load: @Sendable () async throws -> KeySet
    private let state = Mutex(State())

    /// - Parameter load: fetches the set, in bounded time.
    init(
        issuer: String, limits: FetchLimits, logger: Logger, load: @escaping @Sendable () async throws -> KeySet
    ) {
        self.issuer = issuer
        self.limits = limits
        self.logger = logger
        self.load = load
    }

    func keys(keyID: String?, algorithm: SignatureAlgorithm, at now: Timestamp) async throws -> [IssuerKey] {
        let known = state.withLock { state in usable(state, at: now) }
        let found = known?.candidates(keyID: keyID, algorithm: algorithm) ?? []
        if !found.isEmpty {
            switch need(at: now) {
            case .none: return found
            case .soon:
                _ = startFetch(at: now)
                return found
            case .now: break
            }
        }
        guard let task = startFetch(at: now) else {
            // Inside the floor. What is known decides, unless the last attempt failed: then a key that is missing
            // may well exist, and "no" would be a guess.
            if !found.isEmpty { return found }
            guard state.withLock({ $0.isLastAttemptGood }) else { throw Self.unreachable }
            return []
        }
        if let fresh = await task.value { return fresh.candidates(keyID: keyID, algorithm: algorithm) }
        guard !found.isEmpty else { throw Self.unreachable }
        return found
    }

    func reload() {
        state.withLock { state in
            let generation = state.generation + 1
            state = State()
            state.generation = generation
        }
    }

    private static let unreachable = StorageError.unavailable("the issuer's keys cannot be fetched")

    private func usable(_ state: State, at now: Timestamp) -> KeySet? {
        guard let set = state.set, let fetchedAt = state.fetchedAt, now - fetchedAt < limits.staleLifetime else {
            return nil
        }
        return set
    }

    private enum Need { case none, soon, now }

    /// How much it takes to fetch the keys again before they are used. While the issuer is away nobody waits for it
    /// twice.
    private func need(at now: Timestamp) -> Need {
        state.withLock { state in
            guard let fetchedAt = state.fetchedAt else { return .now }
            let age = now - fetchedAt
            // A set that was fetched "later" was fetched before the clock was set back: nobody knows how long before.
            guard age >= .zero else { return state.isLastAttemptGood ? .now : .soon }
            guard age >= limits.refreshAhead else { return .none }
            return age >= limits.refreshInterval && state.isLastAttemptGood ? .now : .soon
        }
    }

    // At most one attempt within the floor: a stream of tokens with invented `kid`s must not become a stream of
    // requests to the issuer. A clock set back does not hold the floor shut.
    private func startFetch(at now: Timestamp) -> Task<KeySet?, Never>? {
        state.withLock { state in
            if let fetch = state.fetch { return fetch }
            if let attemptedAt = state.attemptedAt, (.zero..<limits.refetchFloor).contains(now - attemptedAt) {
                return nil
            }
            state.attemptedAt = now
            let generation = state.generation
            let fetch = Task { await self.fetch(at: now, generation: generation) }
            state.fetch = fetch
            return fetch
        }
    }

    private func fetch(at now: Timestamp, generation: Int) async -> KeySet? {
        var set: KeySet?
        do {
            set = try await load()
        } catch {
            logger.warning(
                "An issuer's keys could not be fetched", metadata: ["issuer": "\(issuer)", "error": "\(error)"])
        }
        state.withLock { state in
            guard state.generation == generation else { return }
            state.fetch = nil
            state.isLastAttemptGood = set != nil
            if let set {
                state.set = set
                state.fetchedAt = now
            }
        }
        return set
    }
}
