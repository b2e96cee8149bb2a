import Bridge
import StorageConformance
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisConformanceTests {
    @Test(arguments: ReplayGuardConformance.cases)
    func `the replay guard keeps the rule`(_ conformance: ConformanceCase<any ReplayGuard>) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { RedisReplayGuard(client: client) }
            }
        }
    }

    /// The cases decide what time it is; the script that runs is the one of production, told the instant.
    @Test(arguments: RateLimiterConformance.cases)
    func `the rate limiter keeps the rule`(_ conformance: ConformanceCase<any RateLimiter>) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { RedisRateLimiter(client: client, clock: .parameter) }
            }
        }
    }

    @Test(arguments: RateLimiterConformance.cases)
    func `the process's own rate limiter keeps the same rule`(
        _ conformance: ConformanceCase<any RateLimiter>
    ) async throws {
        let limiter = InProcessRateLimiter(clock: .parameter)
        try await conformance.check { limiter }
    }

    @Test(arguments: ReplayGuardConformance.cases)
    func `the process's own replay guard keeps the same rule`(
        _ conformance: ConformanceCase<any ReplayGuard>
    ) async throws {
        let replayGuard = InProcessReplayGuard()
        try await conformance.check { replayGuard }
    }
}
