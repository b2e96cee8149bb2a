import Bridge
import RedisStorage
import Synchronization

/// Whether Redis is there for this process: asked for `/readyz` and for `/metrics`, so that both say so even while no
/// request needs it (contract §12).
final class RedisWatch: Sendable {
    /// What a page of metrics waits at most. Redis has 250 ms for each of two round trips, but the way to a cluster's
    /// nodes may take longer.
    private static let patience = Duration.seconds(1)

    private let client: RedisClient
    private let roles: RedisRoles
    private let state: Degradation
    private let current = Mutex<Task<Void, any Error>?>(nil)

    /// - Parameter state: of Redis as a whole, beside that of each role.
    init(_ client: RedisClient, _ roles: RedisRoles, state: Degradation) {
        self.client = client
        self.roles = roles
        self.state = state
    }

    /// Asks Redis, and tries each role again that does without it. At most once at a time: whoever comes meanwhile
    /// waits for the same answer.
    /// - Throws: ``StorageError`` while Redis is away, or cannot do what it was needed for.
    func check() async throws {
        let check = current.withLock { current -> Task<Void, any Error> in
            if let current { return current }
            let task = Task { try await self.checkAlone() }
            current = task
            return task
        }
        try await check.value
    }

    /// The same for metrics, which are wanted whatever it finds: what takes too long is on a later page.
    func checkBriefly() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            try? await check()
            end.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: Self.patience)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }

    private func checkAlone() async throws {
        defer { current.withLock { $0 = nil } }
        try await state.watch {
            try await client.checkAvailable()
            try await roles.tryAgain()
        }
    }
}
