import Bridge
import Synchronization
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1)), .serialized) struct RedisClusterTests {
    private let now = Timestamp(milliseconds: 1_763_708_400_123)

    @Test func `each key goes to its node, also when its slot moves`() async throws {
        try await withCluster { nodes in
            // One seed is enough, and one that is away does no harm.
            var settings = TestClient.settings(nodes[0].address)
            settings.addresses.insert(RedisAddress(host: "127.0.0.1", port: 1), at: 0)
            settings.topology = .cluster
            try await TestClient.with(settings) { client in
                let replayGuard = RedisReplayGuard(client: client)
                let ids = (0..<60).map { TokenID(rawValue: "t\($0)") }
                for id in ids { #expect(try await claim(id, replayGuard) == .claimed) }
                for id in ids { #expect(try await claim(id, replayGuard) == .claimedBefore) }
                for node in nodes { #expect(try #require(try await node.run("DBSIZE").integerValue) > 0) }

                try await migrating(client, replayGuard, nodes)
            }
        }
    }

    /// A slot on its way: its keys are asked for at the new node (`ASK`), and later sought there (`MOVED`).
    private func migrating(_ client: RedisClient, _ replayGuard: RedisReplayGuard, _ nodes: [RedisServer]) async throws
    {
        let slot = "\(HashSlot.of("drawbridge:t:{moving}1"))"
        let owner = HashSlot.of("drawbridge:t:{moving}1") * 3 / HashSlot.count
        let source = nodes[owner]
        let target = nodes[(owner + 1) % 3]
        let sourceID = try #require(try await source.run("CLUSTER", "MYID").text)
        let targetID = try #require(try await target.run("CLUSTER", "MYID").text)
        try await target.run("CLUSTER", "SETSLOT", slot, "IMPORTING", sourceID)
        try await source.run("CLUSTER", "SETSLOT", slot, "MIGRATING", targetID)
        #expect(try await claim("{moving}1", replayGuard) == .claimed)
        #expect(try await claim("{moving}1", replayGuard) == .claimedBefore)
        #expect(try await target.run("CLUSTER", "COUNTKEYSINSLOT", slot) == .integer(1))
        for node in [target, source] { try await node.run("CLUSTER", "SETSLOT", slot, "NODE", targetID) }
        #expect(try await claim("{moving}2", replayGuard) == .claimed)
        #expect(try await claim("{moving}1", replayGuard) == .claimedBefore)
        #expect(try await target.run("CLUSTER", "COUNTKEYSINSLOT", slot) == .integer(2))
    }

    @Test func `the keys of one request may be on several nodes`() async throws {
        try await withCluster { nodes in
            var settings = TestClient.settings(nodes[1].address)
            settings.topology = .cluster
            try await TestClient.with(settings) { client in
                let limiter = RedisRateLimiter(client: client)
                let keys = (0..<12).map {
                    RateLimitKey(
                        scope: "s\($0)", value: "alice",
                        bucket: TokenBucket(burst: 1, refillInterval: .seconds($0 == 7 ? 3600 : 60)))
                }
                #expect(try await limiter.take(keys, at: now) == .allowed)
                guard case .exceeded(_, let scope) = try await limiter.take(keys, at: now) else {
                    Issue.record("a second was allowed")
                    return
                }
                #expect(scope == "s7")
            }
        }
    }

    @Test func `a cluster that sends us in circles is no decision`() async throws {
        let ports = PortBox()
        let answer: FakeRedis.Answer = { command in
            let port = ports.port
            // An empty host stands for the one that was asked.
            return command[0] == "CLUSTER"
                ? "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:\(port)\r\n" : "-MOVED 1 :\(port)\r\n"
        }
        try await FakeRedis.with(answer) { node in
            ports.port = node.address.port
            var settings = TestClient.settings(node.address)
            settings.topology = .cluster
            try await TestClient.with(settings) { client in
                await #expect(throws: StorageError.self) { try await claim("t", RedisReplayGuard(client: client)) }
            }
        }
    }

    @Test(arguments: Failover.Loss.allCases)
    func `a node that lost its slots is left for the one that has them now`(_ loss: Failover.Loss) async throws {
        let failover = Failover()
        try await FakeRedis.with({ failover.answer($0, by: .first) }) { first in
            try await FakeRedis.with({ failover.answer($0, by: .second) }) { second in
                failover.note(first: first.address, second: second.address)
                try await TestClient.with(Self.settings(first, second)) { client in
                    #expect(try await Self.node(of: client) == "first")
                    failover.begin(loss)
                    if loss == .refusedConnection { first.close() }
                    try await eventually { (try? await Self.node(of: client)) == "second" }
                }
            }
        }
    }

    @Test(arguments: Failover.Outage.allCases)
    func `in an outage the slots are asked for ten times a second, and not by each request`(
        _ outage: Failover.Outage
    ) async throws {
        let failover = Failover()
        failover.begin(outage)
        try await FakeRedis.with({ failover.answer($0, by: .first) }) { first in
            failover.note(first: first.address, second: first.address)
            try await TestClient.with(Self.settings(first)) { client in
                let since = ContinuousClock.now
                let before = failover.timesAsked
                for _ in 0..<500 {
                    let node = try? await Self.node(of: client)
                    #expect(node == nil)
                }
                try await eventually {
                    _ = try? await Self.node(of: client)
                    return failover.timesAsked > before
                }
                let most = 2 + Int((ContinuousClock.now - since) / Duration.milliseconds(100))
                #expect(failover.timesAsked - before <= most)
            }
        }
    }

    private static func settings(_ seeds: FakeRedis...) -> RedisSettings {
        var settings = TestClient.settings(seeds[0].address)
        settings.addresses = seeds.map(\.address)
        settings.topology = .cluster
        return settings
    }

    /// Who answers for a key; `nil` where nobody does.
    private static func node(of client: RedisClient) async throws -> String? {
        try await client.send([RedisCommand("GET", "k", key: "k")])[0].text
    }

    private func claim(_ id: TokenID, _ replayGuard: RedisReplayGuard) async throws -> ReplayClaim {
        try await replayGuard.claim(id, until: now + .seconds(60), at: now)
    }

    /// Three masters without replicas, each with a third of the slots.
    private func withCluster(_ body: ([RedisServer]) async throws -> Void) async throws {
        let nodes = try (0..<3).map { _ in
            try RedisServer(["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"])
        }
        defer { for node in nodes { node.remove() } }
        for node in nodes { try await node.waitUntilUp() }
        for (index, node) in nodes.enumerated() {
            // The slots s with s * 3 / 16384 == index.
            let first = (index * HashSlot.count + 2) / 3
            let last = ((index + 1) * HashSlot.count + 2) / 3 - 1
            try await node.run("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
            try await node.run("CLUSTER", "ADDSLOTSRANGE", "\(first)", "\(last)")
            try await node.run("CLUSTER", "MEET", "127.0.0.1", "\(nodes[0].port)")
        }
        for node in nodes {
            try await eventually {
                let text = try await node.run("CLUSTER", "INFO").text ?? ""
                return text.contains("cluster_state:ok") && text.contains("cluster_known_nodes:3")
            }
        }
        try await body(nodes)
    }
}

/// A port that is known only when the server that names it runs.
private final class PortBox: Sendable {
    private let value = Mutex(0)
    var port: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
