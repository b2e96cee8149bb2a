import Bridge
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisReplayGuardTests {
    private let now = Timestamp(milliseconds: 1_763_708_400_123)

    @Test func `a claim is kept for the token's remaining life and the clocks' difference`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let replayGuard = RedisReplayGuard(client: client)
                _ = try await replayGuard.claim("alive", until: now + .seconds(40), at: now)
                _ = try await replayGuard.claim("expired", until: now - .seconds(40), at: now)
                let alive = try #require(try await server.run("PTTL", "drawbridge:t:alive").integerValue)
                let expired = try #require(try await server.run("PTTL", "drawbridge:t:expired").integerValue)
                #expect((30_000...50_000).contains(alive))
                #expect((1...10_000).contains(expired))
            }
        }
    }

    @Test func `a full server is no decision`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await server.run("CONFIG", "SET", "maxmemory", "1")
                let replayGuard = RedisReplayGuard(client: client)
                await #expect(throws: StorageError.self) {
                    try await replayGuard.claim("t", until: now + .seconds(40), at: now)
                }
            }
        }
    }

    @Test func `a try is kept for its time and no longer: ended by the server's clock, without a margin`() async throws
    {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let tries = RedisRecentTries(client: client)
                #expect(try await tries.isFirst("t", within: .seconds(3600)))
                let rest = try #require(try await server.run("PTTL", "drawbridge:w:t").integerValue)
                #expect((1...3_600_000).contains(rest))
                #expect(try await !tries.isFirst("t", within: .seconds(7200)))
                let unchanged = try #require(try await server.run("PTTL", "drawbridge:w:t").integerValue)
                #expect((1...rest).contains(unchanged), "one that comes too soon does not lengthen it")
            }
        }
    }
}
