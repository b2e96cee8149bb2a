import Bridge
import Synchronization

/// What is read over HTTP again and again: kept, renewed from time to time, and renewed early when it lacks something.
/// Everybody who needs it at once joins one fetch, and between two fetches, failed ones included, is a floor.
final class RemoteDocument<Content: Sendable>: Sendable {
    private struct State {
        var content: Content?
        var fetchedAt: Timestamp?
        var attemptedAt: Timestamp?
        var isLastAttemptGood = false
        /// The fetch under way, which every caller joins.
        var fetch: Task<Content?, Never>?
        var generation = 0
    }

    private let limits: FetchLimits
    private let load: @Sendable () async throws -> Content
    private let onFailure: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - load: fetches it, in bounded time.
    ///   - onFailure: told of each fetch that failed.
    init(
        limits: FetchLimits, load: @escaping @Sendable () async throws -> Content,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.limits = limits
        self.load = load
        self.onFailure = onFailure
    }

    /// What it says, which may lack what is wanted.
    /// - Parameter suffices: whether what is known has it; otherwise it is fetched again, unless that was just done.
    /// - Returns: `nil` when that cannot be found out now.
    func content(at now: Timestamp, where suffices: (Content) -> Bool) async -> Content? {
        let known = state.withLock { state in usable(state, at: now) }
        let found = known.flatMap { suffices($0) ? $0 : nil }
        if let found {
            switch need(at: now) {
            case .none: return found
            case .soon:
                _ = startFetch(at: now)
                return found
            case .now: break
            }
        }
        guard let task = startFetch(at: now) else {
            // Inside the floor. What is known decides, unless the last attempt failed: then what is missing may well
            // exist, and "no" would be a guess.
            if let found { return found }
            return state.withLock { $0.isLastAttemptGood } ? known : nil
        }
        return await task.value ?? found
    }

    /// Whether what is wanted can be said of it without a fetch.
    func isAtHand(at now: Timestamp, where suffices: (Content) -> Bool) -> Bool {
        state.withLock { state in usable(state, at: now) }.map(suffices) ?? false
    }

    func forget() {
        state.withLock { state in
            let generation = state.generation + 1
            state = State()
            state.generation = generation
        }
    }

    private func usable(_ state: State, at now: Timestamp) -> Content? {
        guard let content = state.content, let fetchedAt = state.fetchedAt, now - fetchedAt < limits.staleLifetime
        else { return nil }
        return content
    }

    private enum Need { case none, soon, now }

    /// How much it takes to fetch it again before it is used. While its server is away no caller waits for it twice.
    private func need(at now: Timestamp) -> Need {
        state.withLock { state in
            guard let fetchedAt = state.fetchedAt else { return .now }
            let age = now - fetchedAt
            // What was fetched "later" was fetched before the clock was set back: how long before is unknown.
            guard age >= .zero else { return state.isLastAttemptGood ? .now : .soon }
            guard age >= limits.refreshAhead else { return .none }
            return age >= limits.refreshInterval && state.isLastAttemptGood ? .now : .soon
        }
    }

    // At most one attempt within the floor: a stream of tokens with invented `kid`s must not become a stream of
    // requests to their issuer. A clock set back does not hold the floor shut.
    private func startFetch(at now: Timestamp) -> Task<Content?, Never>? {
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

    private func fetch(at now: Timestamp, generation: Int) async -> Content? {
        var content: Content?
        do {
            content = try await load()
        } catch {
            onFailure(error)
        }
        state.withLock { state in
            guard state.generation == generation else { return }
            state.fetch = nil
            state.isLastAttemptGood = content != nil
            if let content {
                state.content = content
                state.fetchedAt = now
            }
        }
        return content
    }
}
