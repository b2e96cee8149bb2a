import Bridge
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisRateLimiterTests {
    private let now = Timestamp(milliseconds: 1_763_708_400_123)

    private func key(_ value: String = "alice", burst: Int = 2, every interval: Duration = .seconds(60)) -> RateLimitKey
    {
        RateLimitKey(scope: "test", value: value, bucket: TokenBucket(burst: burst, refillInterval: interval))
    }

    @Test func `the server's clock counts, whatever the nodes' clocks say`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let limiter = RedisRateLimiter(client: client)
                let behind = now - .seconds(86_400)
                let ahead = now + .seconds(86_400)
                #expect(try await limiter.take([key()], at: ahead) == .allowed)
                #expect(try await limiter.take([key()], at: behind) == .allowed)
                let decision = try await limiter.take([key()], at: ahead)
                guard case .exceeded(let wait, _) = decision else {
                    Issue.record("a third was allowed")
                    return
                }
                #expect(wait > .seconds(30) && wait <= .seconds(60))
            }
        }
    }

    @Test func `a bucket refills by the server's clock and its key goes when it is full`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let limiter = RedisRateLimiter(client: client)
                let quick = key(burst: 1, every: .milliseconds(100))
                #expect(try await limiter.take([quick], at: now) == .allowed)
                try await eventually { try await limiter.take([quick], at: now) == .allowed }
                try await eventually { try await server.run("DBSIZE") == .integer(0) }
            }
        }
    }

    @Test func `a server that forgot the script is taught again`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let limiter = RedisRateLimiter(client: client)
                #expect(try await limiter.take([key(), key("bob")], at: now) == .allowed)
                try await server.run("SCRIPT", "FLUSH")
                #expect(try await limiter.take([key(), key("bob")], at: now) == .allowed)
                #expect(try await limiter.peek([key()], at: now) != .allowed)
            }
        }
    }

    @Test func `no user name or address is kept`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                _ = try await RedisRateLimiter(client: client).take([key("alice@example.org")], at: now)
                let keys = try #require(try await server.run("KEYS", "*").elements?.compactMap(\.text))
                #expect(keys.count == 1)
                #expect(keys.allSatisfy { $0.hasPrefix("drawbridge:l:test:") && !$0.contains("alice") })
            }
        }
    }

    @Test func `a server whose clock jumped back keeps nobody waiting for the difference`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let limiter = RedisRateLimiter(client: client, clock: .parameter)
                let ahead = try await limiter.take([key()], at: now + .seconds(86_400))
                let afterwards = try await limiter.take([key()], at: now)
                #expect(ahead == .allowed)
                #expect(afterwards == .exceeded(retryAfter: .seconds(60), scope: "test"))
            }
        }
    }

    @Test func `a server whose clock jumped back blocks nobody for the difference`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let limiter = RedisRateLimiter(client: client, clock: .parameter)
                let window = AttemptWindow(count: 1, per: .seconds(60), block: .seconds(300))
                let full = RateLimitKey(scope: "test", value: "full", window: window)
                let closed = RateLimitKey(scope: "test", value: "closed", window: window)
                let ahead = now + .seconds(86_400)
                for key in [full, closed] {
                    let first = try await limiter.take([key], at: ahead)
                    #expect(first == .allowed)
                }
                let second = try await limiter.take([closed], at: ahead)
                let block = RateLimitDecision.exceeded(retryAfter: .seconds(300), scope: "test")
                #expect(second == block)
                for key in [full, closed] {
                    let afterwards = try await limiter.take([key], at: now)
                    #expect(afterwards == block, "\(key.value)")
                }
            }
        }
    }

    @Test func `a server whose clock jumped back slows no device down for the difference`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let polls = RedisDevicePolls(client: client, clock: .parameter)
                let ahead = now + .seconds(86_400)
                let expiry = ahead + .seconds(600)
                let before = try await polls.poll("tv", until: expiry, at: ahead)
                let afterwards = try await polls.poll("tv", until: expiry, at: now)
                let atOnce = try await polls.poll("tv", until: expiry, at: now + .seconds(1))
                #expect(before == DevicePoll(isTooSoon: false, interval: .seconds(5)))
                #expect(afterwards == DevicePoll(isTooSoon: false, interval: .seconds(5)))
                #expect(atOnce == DevicePoll(isTooSoon: true, interval: .seconds(10)), "the interval holds")
            }
        }
    }

    @Test(arguments: [Int64.min, -1, 1_000_000_000_001, .max])
    func `a wait that no limit makes decides nothing`(wait: Int64) async throws {
        let redis = try await FakeRedis { _ in ":\(wait)\r\n" }
        defer { redis.close() }
        try await TestClient.with(TestClient.settings(redis.address)) { client in
            let limiter = RedisRateLimiter(client: client)
            let key = key(burst: 50, every: .seconds(3600))
            await #expect(throws: (any Error).self) { _ = try await limiter.take([key], at: now) }
            guard wait != -1 else { return }
            let polls = RedisDevicePolls(client: client)
            await #expect(throws: (any Error).self) {
                _ = try await polls.poll("tv", until: now + .seconds(600), at: now)
            }
        }
    }

    @Test func `a device's interval that somebody spoilt ends nothing`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let polls = RedisDevicePolls(client: client)
                _ = try await polls.poll("tv", until: now + .seconds(600), at: now)
                for value in ["9223372036854775808 9223372036854775807", "nan 1", "1e308 1e308"] {
                    let keys = try #require(try await server.run("KEYS", "*").elements)
                    #expect(!keys.isEmpty)
                    for key in keys.compactMap(\.text) { _ = try await server.run("SET", key, value) }
                    await #expect(throws: (any Error).self) {
                        _ = try await polls.poll("tv", until: now + .seconds(600), at: now)
                    }
                }
            }
        }
    }

    @Test func `of 200 takes through two clients the burst passes`() async throws {
        try await RedisServer.with { server in
            let settings = TestClient.settings(server.address)
            try await TestClient.with(settings) { first in
                try await TestClient.with(settings) { second in
                    let limiters = [first, second].map { RedisRateLimiter(client: $0) }
                    let key = key(burst: 50, every: .seconds(3600))
                    let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
                        for number in 0..<200 {
                            group.addTask { try await limiters[number % 2].take([key], at: now) == .allowed }
                        }
                        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                    #expect(allowed == 50)
                }
            }
        }
    }
}
