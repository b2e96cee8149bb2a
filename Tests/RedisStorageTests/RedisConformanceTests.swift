import Bridge
import StorageConformance
import Synchronization
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

    @Test(arguments: RecentTriesConformance.cases)
    func `recent tries keep the rule`(_ conformance: ConformanceCase<any RecentTries>) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { RedisRecentTries(client: client) }
            }
        }
    }

    @Test(arguments: CrossDeviceStoreConformance.cases)
    func `the store of sign-ins across devices keeps the rule`(
        _ conformance: ConformanceCase<any CrossDeviceStore>
    ) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { RedisCrossDeviceStore(client: client) }
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

    @Test(arguments: SelfIssuedTransactionConformance.cases)
    func `sign-ins that wait for a phone keep the rule`(
        _ conformance: ConformanceCase<any SelfIssuedTransactionStore>
    ) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { RedisSelfIssuedTransactions(client: client) }
            }
        }
    }

    @Test(arguments: SelfIssuedTransactionConformance.cases)
    func `the process's own sign-ins that wait for a phone keep the same rule`(
        _ conformance: ConformanceCase<any SelfIssuedTransactionStore>
    ) async throws {
        let transactions = InProcessSelfIssuedTransactions()
        try await conformance.check { transactions }
    }

    @Test(arguments: DevicePollsConformance.cases)
    func `waiting devices are kept to their interval`(
        _ conformance: ConformanceCase<any DevicePolls>
    ) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { RedisDevicePolls(client: client, clock: .parameter) }
            }
        }
    }

    @Test(arguments: ReuseMemoryConformance.cases)
    func `the memory of seen values keeps the rule`(
        _ conformance: ConformanceCase<any SteppedReuseMemory>
    ) async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await conformance.check { SteppedRedis(client: client) }
            }
        }
    }

    @Test(arguments: ReuseMemoryConformance.cases)
    func `the process's own memory of seen values keeps the same rule`(
        _ conformance: ConformanceCase<any SteppedReuseMemory>
    ) async throws {
        let memory = SteppedProcess()
        try await conformance.check { memory }
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

    @Test(arguments: RecentTriesConformance.cases)
    func `the process's own recent tries keep the same rule`(
        _ conformance: ConformanceCase<any RecentTries>
    ) async throws {
        let tries = InProcessRecentTries()
        try await conformance.check { tries }
    }
}

private let beginning = Timestamp(seconds: 1_800_000_000)

private struct SteppedRedis: SteppedReuseMemory {
    private let memory: RedisReuseMemory

    init(client: RedisClient) {
        memory = RedisReuseMemory(
            client: client, name: "test", lifetime: ReuseMemoryConformance.lifetime,
            capacity: ReuseMemoryConformance.capacity, clock: .parameter)
    }

    func note(_ value: String, after time: Duration) async throws -> Novelty {
        try await memory.note(value, at: beginning + time)
    }
}

private final class SteppedProcess: SteppedReuseMemory {
    private let now = Mutex(beginning)
    private let memory = Mutex<InProcessReuseMemory?>(nil)

    private func made() -> InProcessReuseMemory {
        memory.withLock { memory in
            let made =
                memory
                ?? InProcessReuseMemory(
                    lifetime: ReuseMemoryConformance.lifetime, capacity: ReuseMemoryConformance.capacity,
                    time: TimeSource { [self] in now.withLock { $0 } })
            memory = made
            return made
        }
    }

    func note(_ value: String, after time: Duration) -> Novelty {
        now.withLock { $0 = max($0, beginning + time) }
        return made().note(value, at: beginning)
    }
}
