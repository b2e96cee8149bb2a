import Bridge
import Testing

@testable import RedisStorage

/// A sentinel that was kept waiting for two seconds does nothing for half a minute (its "tilt" mode), so there is time.
@Suite(.needsRedis, .timeLimit(.minutes(3))) struct RedisSentinelTests {
    private let now = Timestamp(milliseconds: 1_763_708_400_123)

    @Test func `when the master dies its successor is found`() async throws {
        try await RedisServer.with { master in
            try await RedisServer.with(["--replicaof", "127.0.0.1", "\(master.port)"]) { replica in
                try await eventually {
                    try await replica.run("INFO", "replication").text?.contains("master_link_status:up") == true
                }
                let sentinel = try sentinel(watching: master)
                defer { sentinel.remove() }
                try await sentinel.waitUntilUp()
                try await eventually { try await sentinel.run("SENTINEL", "replicas", "bridge").elements?.count == 1 }

                var settings = TestClient.settings(sentinel.address)
                settings.topology = .sentinel(master: "bridge")
                // The first of the sentinels is away.
                settings.addresses.insert(RedisAddress(host: "127.0.0.1", port: 1), at: 0)
                try await TestClient.with(settings) { client in
                    let replayGuard = RedisReplayGuard(client: client)
                    #expect(try await replayGuard.claim("a", until: now + .seconds(60), at: now) == .claimed)
                    master.kill()
                    try await eventually(within: .seconds(90)) {
                        (try? await replayGuard.claim("b", until: self.now + .seconds(60), at: self.now)) != nil
                    }
                    #expect(try await replica.run("EXISTS", "drawbridge:t:b") == .integer(1))
                }
            }
        }
    }

    @Test func `a sentinel that names a replica is not believed`() async throws {
        try await RedisServer.with(["--replicaof", "127.0.0.1", "1"]) { replica in
            let answer: FakeRedis.Answer = { _ in
                let port = "\(replica.port)"
                return "*2\r\n$9\r\n127.0.0.1\r\n$\(port.count)\r\n\(port)\r\n"
            }
            try await FakeRedis.with(answer) { sentinel in
                var settings = TestClient.settings(sentinel.address)
                settings.topology = .sentinel(master: "bridge")
                try await TestClient.with(settings) { client in
                    await #expect(throws: StorageError.self) { try await client.checkAvailable() }
                }
            }
        }
    }

    @Test func `sentinels that ask for a password are told it`() async throws {
        try await RedisServer.with { master in
            let sentinel = try sentinel(watching: master, password: "sesame")
            defer { sentinel.remove() }
            let credentials = RedisCredentials(user: nil, password: Secret("sesame"))
            try await eventually { (try? await sentinel.run("PING", credentials: credentials)) == .status("PONG") }
            var settings = TestClient.settings(sentinel.address)
            settings.topology = .sentinel(master: "bridge")
            try await TestClient.with(settings) { client in
                await #expect(throws: StorageError.self) { try await client.checkAvailable() }
            }
            settings.sentinelCredentials = credentials
            try await TestClient.with(settings) { client in try await client.checkAvailable() }
        }
    }

    private func sentinel(watching master: RedisServer, password: String? = nil) throws -> RedisServer {
        try RedisServer(
            ["--sentinel"],
            configuration: """
                \(password.map { "requirepass \($0)" } ?? "")
                sentinel monitor bridge 127.0.0.1 \(master.port) 1
                sentinel down-after-milliseconds bridge 2000
                sentinel failover-timeout bridge 5000

                """)
    }
}
