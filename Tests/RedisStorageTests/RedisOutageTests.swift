import Bridge
import NIOCore
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisOutageTests {
    private let now = Timestamp(milliseconds: 1_763_708_400_123)

    private func claim(
        _ id: TokenID, _ client: RedisClient, policy: ReplayGuardOutagePolicy = .database,
        _ degradation: Degradation = Degradation(part: "test", logger: TestClient.quiet)
    ) async throws -> ReplayClaim {
        try await FailoverReplayGuard(RedisReplayGuard(client: client), policy: policy, degradation: degradation)
            .claim(id, until: now + .seconds(60), at: now)
    }

    /// Something that makes Redis unable to decide.
    enum Outage: CaseIterable, Sendable {
        case killed, paused, full, replica

        func begin(_ server: RedisServer) async throws {
            switch self {
            case .killed: server.kill()
            case .paused: try await server.run("CLIENT", "PAUSE", "60000", "WRITE")
            case .full: try await server.run("CONFIG", "SET", "maxmemory", "1")
            case .replica: try await server.run("REPLICAOF", "127.0.0.1", "1")
            }
        }

        func end(_ server: RedisServer) async throws {
            switch self {
            case .killed:
                try server.launch()
                try await server.waitUntilUp()
            case .paused: try await server.run("CLIENT", "UNPAUSE")
            case .full: try await server.run("CONFIG", "SET", "maxmemory", "0")
            case .replica: try await server.run("REPLICAOF", "NO", "ONE")
            }
        }
    }

    @Test(arguments: Outage.allCases)
    func `while Redis cannot decide the database does, and afterwards Redis again`(_ outage: Outage) async throws {
        try await RedisServer.with { server in
            var settings = TestClient.settings(server.address)
            // Redis must not seem to be away when the machine is slow.
            settings.limits.commandTimeout = .seconds(2)
            try await TestClient.with(settings) { client in
                let degradation = Degradation(part: "test", logger: TestClient.quiet)
                try await eventually { try await self.claim("first", client, degradation) == .claimedBefore }
                #expect(!degradation.isDegraded)
                try await outage.begin(server)
                try await eventually {
                    _ = try await self.claim("second", client, degradation)
                    return degradation.isDegraded
                }
                try await outage.end(server)
                try await eventually {
                    _ = try await self.claim("third", client, degradation)
                    return !degradation.isDegraded
                }
                #expect(try await claim("third", client, degradation) == .claimedBefore)
                #expect(
                    try await claim("first", client, degradation) == (outage == .killed ? .claimed : .claimedBefore))
            }
        }
    }

    @Test(arguments: Outage.allCases)
    func `with the policy to refuse, nothing is claimed in an outage`(_ outage: Outage) async throws {
        try await RedisServer.with { server in
            var settings = TestClient.settings(server.address)
            settings.limits.commandTimeout = .seconds(2)
            try await TestClient.with(settings) { client in
                try await outage.begin(server)
                await #expect(throws: StorageError.self) { try await claim("t", client, policy: .refuse) }
                try await outage.end(server)
                try await eventually { (try? await self.claim("t", client, policy: .refuse)) != nil }
            }
        }
    }

    @Test func `limits fall back to the process's own and return`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let degradation = Degradation(part: "test", logger: TestClient.quiet)
                let limiter = FailoverRateLimiter(
                    RedisRateLimiter(client: client), own: InProcessRateLimiter(clock: .parameter),
                    degradation: degradation)
                let key = RateLimitKey(
                    scope: "test", value: "alice", bucket: TokenBucket(burst: 2, refillInterval: .seconds(3600)))
                for _ in 1...2 { #expect(try await limiter.take([key], at: now) == .allowed) }
                #expect(try await limiter.take([key], at: now) != .allowed)
                server.kill()
                try await eventually { !(await client.isAvailable) }
                for _ in 1...2 { #expect(try await limiter.take([key], at: now) == .allowed) }
                #expect(try await limiter.take([key], at: now) != .allowed)
                #expect(degradation.isDegraded)
                try server.launch()
                try await eventually { await client.isAvailable }
                #expect(try await limiter.take([key], at: now) == .allowed)
                #expect(!degradation.isDegraded)
            }
        }
    }

    @Test func `a full Redis that refuses by what it counted before is still away`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let degradation = Degradation(part: "test", logger: TestClient.quiet)
                let limiter = FailoverRateLimiter(
                    RedisRateLimiter(client: client), own: InProcessRateLimiter(clock: .parameter),
                    degradation: degradation)
                let (spent, other) = (Self.oneAnHour("spent"), Self.oneAnHour("other"))
                #expect(try await limiter.take([spent], at: now) == .allowed)
                try await server.run("CONFIG", "SET", "maxmemory", "1")
                #expect(try await limiter.take([other], at: now) == .allowed)
                #expect(degradation.isDegraded)
                #expect(try await limiter.take([spent], at: now) != .allowed)
                #expect(degradation.isDegraded)
                try await server.run("CONFIG", "SET", "maxmemory", "0")
                #expect(try await limiter.take([other], at: now) == .allowed)
                #expect(!degradation.isDegraded)
            }
        }
    }

    private static func oneAnHour(_ value: String) -> RateLimitKey {
        RateLimitKey(scope: "test", value: value, bucket: TokenBucket(burst: 1, refillInterval: .seconds(3600)))
    }

    @Test func `a server that is away at the start is found when it comes`() async throws {
        try await RedisServer.with { server in
            server.kill()
            try await TestClient.with(TestClient.settings(server.address)) { client in
                await #expect(throws: StorageError.self) { try await client.checkAvailable() }
                try server.launch()
                try await eventually { await client.isAvailable }
            }
        }
    }

    @Test func `callers in an outage are refused, not kept`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let reason = "Redis: \(RedisConnectionError.notConnected)"
                server.kill()
                // What was on its way when the server ended fails in other words.
                try await eventually { await client.refusal == reason }
                for _ in 0..<1000 {
                    let refusal = await client.refusal
                    #expect(refusal == reason)
                }
                let claimed = try await claim("t", client)
                #expect(claimed == .claimed)
            }
        }
    }
}

extension RedisClient {
    var isAvailable: Bool {
        get async { (try? await checkAvailable()) != nil }
    }

    /// What is said of a command that is not sent; `nil` of one that is answered.
    fileprivate var refusal: String? {
        get async {
            do {
                try await checkAvailable()
                return nil
            } catch {
                return (error as? StorageError)?.text
            }
        }
    }
}
