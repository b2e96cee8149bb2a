import Bridge
import RedisStorage

/// Whether Redis is there for this process: asked for `/readyz` and for `/metrics`, so that both say so even while no
/// request needs it (contract §12).
final class RedisWatch: Sendable {
    private let client: RedisClient
    private let roles: RedisRoles
    private let state: Degradation
    private let checking = SingleFlight()

    /// - Parameter state: of Redis as a whole, besides that of each role.
    init(_ client: RedisClient, _ roles: RedisRoles, state: Degradation) {
        self.client = client
        self.roles = roles
        self.state = state
    }

    /// Asks Redis, and tries each role again that does without it. At most once at a time: whoever comes meanwhile
    /// waits for the same answer.
    /// - Throws: ``StorageError`` while Redis is away, or cannot do what it was needed for.
    func check() async throws {
        try await checking.join(or: { try await self.checkAlone() })
    }

    /// Checks for metrics, which are wanted whatever it finds: what takes too long is on a later page.
    func checkBriefly() async {
        await MetricsPatience.wait { try? await self.check() }
    }

    private func checkAlone() async throws {
        try await state.watch {
            try await client.checkAvailable()
            try await roles.tryAgain()
        }
    }
}
