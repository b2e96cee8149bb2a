import Bridge
import Foundation
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisAccessTests {
    private func availability(_ settings: RedisSettings) async throws -> Bool {
        try await TestClient.with(settings) { await $0.isAvailable }
    }

    private func withLockedServer(_ body: (RedisServer) async throws -> Void) async throws {
        try await RedisServer.withUser(["+@all", "-@admin"], body)
    }

    @Test(
        arguments: [
            (nil, "root-password", true), (nil, "wrong", false), ("web", "web-password", true), ("web", "wrong", false),
            ("nobody", "web-password", false),
        ] as [(String?, String, Bool)])
    func `credentials decide`(user: String?, password: String, isAccepted: Bool) async throws {
        try await withLockedServer { server in
            var settings = TestClient.settings(server.address)
            settings.credentials = RedisCredentials(user: user, password: Secret(password))
            let isAvailable = try await availability(settings)
            #expect(isAvailable == isAccepted)
        }
    }

    @Test func `without credentials a locked server is not available`() async throws {
        try await withLockedServer { server in
            let isAvailable = try await availability(TestClient.settings(server.address))
            #expect(!isAvailable)
        }
    }

    @Test func `a user that may not do it is no decision`() async throws {
        try await withLockedServer { server in
            var settings = TestClient.settings(server.address)
            settings.credentials = RedisCredentials(user: "web", password: Secret("web-password"))
            try await TestClient.with(settings) { client in
                let now = Timestamp(milliseconds: 0)
                let mine = RedisReplayGuard(client: client)
                let claim = try await mine.claim("t", until: now + .seconds(60), at: now)
                #expect(claim == .claimed)
                let foreign = RedisReplayGuard(client: client, prefix: "foreign:")
                await #expect(throws: StorageError.self) {
                    try await foreign.claim("t", until: now + .seconds(60), at: now)
                }
            }
        }
    }

    @Test func `a database is selected and the connection named`() async throws {
        try await RedisServer.with { server in
            let settings = TestClient.settings(server.address)
            var url = try RedisSettings(url: "redis://\(server.address)/5")
            url.limits = settings.limits
            url.clientName = "node-1"
            try await TestClient.with(url) { client in
                #expect(try await client.send([RedisCommand("SET", "k", "v")]) == [.status("OK")])
                #expect(try await server.run("GET", "k") == .null)
                let clients = try #require(try await server.run("CLIENT", "LIST").text)
                #expect(clients.contains("name=node-1") && clients.contains("db=5"))
            }
        }
    }

    @Test func `TLS needs a certificate that we trust and one that the server trusts`() async throws {
        let certificates = try Certificates()
        defer { certificates.remove() }
        let server = try tlsServer(certificates, certificate: "server")
        defer { server.remove() }
        let ours = try RedisTLS(
            authorityPath: certificates.path("authority.pem"), certificatePath: certificates.path("client.pem"),
            keyPath: certificates.path("client.key"))
        try await eventually { (try? await server.run("PING", tls: ours)) == .status("PONG") }
        let cases: [(RedisTLS?, Bool)] = [
            (ours, true), (nil, false), (try RedisTLS(), false),
            (try RedisTLS(authorityPath: certificates.path("authority.pem")), false),
            (
                try RedisTLS(
                    authorityPath: certificates.path("client.pem"), certificatePath: certificates.path("client.pem"),
                    keyPath: certificates.path("client.key")), false
            ),
        ]
        for (tls, isAccepted) in cases {
            var settings = TestClient.settings(server.address)
            settings.tls = tls
            #expect(try await availability(settings) == isAccepted)
        }
    }

    @Test func `a certificate for another name is refused, unless names do not matter`() async throws {
        let certificates = try Certificates()
        defer { certificates.remove() }
        let server = try tlsServer(certificates, certificate: "elsewhere")
        defer { server.remove() }
        func tls(checksHostname: Bool) throws -> RedisTLS {
            try RedisTLS(
                authorityPath: certificates.path("authority.pem"), certificatePath: certificates.path("client.pem"),
                keyPath: certificates.path("client.key"), checksHostname: checksHostname)
        }
        let lenient = try tls(checksHostname: false)
        try await eventually { (try? await server.run("PING", tls: lenient)) == .status("PONG") }
        var settings = TestClient.settings(server.address)
        settings.tls = try tls(checksHostname: true)
        #expect(try await !availability(settings))
    }

    private func tlsServer(_ certificates: Certificates, certificate: String) throws -> RedisServer {
        try RedisServer([
            "--port", "0", "--tls-port", "{port}", "--tls-cert-file", certificates.path("\(certificate).pem"),
            "--tls-key-file", certificates.path("\(certificate).key"), "--tls-ca-cert-file",
            certificates.path("authority.pem"), "--tls-auth-clients", "yes",
        ])
    }

    @Test func `the commands that docs/operations.md lists are enough`() async throws {
        let text = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../docs/operations.md"),
            encoding: .utf8)
        let commands = try #require(text.firstMatch(of: /`~drawbridge:\* &drawbridge:\* ([^`]+)`/)).1
            .split { $0 == " " || $0 == "\n" }.map(String.init)
        try await RedisServer.withUser(["-@all"] + commands) { server in
            var settings = TestClient.settings(server.address)
            settings.credentials = RedisCredentials(user: "web", password: Secret("web-password"))
            try await TestClient.with(settings) { client in
                let now = Timestamp(milliseconds: 1_800_000_000_000)
                let claim = try await RedisReplayGuard(client: client).claim("t", until: now + .seconds(60), at: now)
                #expect(claim == .claimed)
                let keys = [
                    RateLimitKey(scope: "bucket", value: "a", bucket: TokenBucket(perMinute: 1)),
                    RateLimitKey(
                        scope: "window", value: "a",
                        window: AttemptWindow(count: 1, per: .seconds(1), block: .seconds(1))),
                ]
                #expect(try await RedisRateLimiter(client: client).take(keys, at: now) == .allowed)
                let memory = RedisReuseMemory(client: client, name: "test", lifetime: .seconds(60), capacity: 10)
                #expect(try await memory.note("a", at: now) == .fresh)
                #expect(try await memory.note("a", at: now) == .seen)
                try await RedisRevocationChannel(client: client).publish(["s"])
                try await Self.signInsThatWait(client, at: now)
                try await client.checkAvailable()
                try await client.checkUsable(prefix: RedisKeys.standardPrefix)
            }
        }
    }

    /// What waits for a phone or a device, and every step of it.
    private static func signInsThatWait(_ client: RedisClient, at now: Timestamp) async throws {
        let phones = RedisSelfIssuedTransactions(client: client)
        let waiting = SelfIssuedRecord(content: "sealed", expiresAt: now + .seconds(60))
        try await phones.keepSelfIssued(waiting, as: "p", at: now)
        #expect(try await phones.selfIssued("p", at: now) == waiting)
        #expect(try await phones.replaceSelfIssued(with: waiting, as: "p", at: now))
        #expect(try await phones.takeSelfIssued("p", at: now) == waiting)
        #expect(try await phones.takeSelfIssued("p", at: now) == nil)
        let pages = RedisCrossDeviceStore(client: client)
        func page(_ version: Int64) -> CrossDeviceRecord {
            CrossDeviceRecord(key: "x", version: version, content: "sealed", expiresAt: now + .seconds(60))
        }
        #expect(try await pages.addCrossDevice(page(0), at: now))
        #expect(try await pages.replaceCrossDevice(with: page(1), at: now))
        #expect(try await pages.crossDevice("x", at: now) == page(1))
        #expect(try await pages.movedCrossDevices(among: ["x"], at: now) == ["x": 1])
        try await pages.removeCrossDevice("x")
        #expect(try await pages.crossDevice("x", at: now) == nil)
        let polls = RedisDevicePolls(client: client)
        #expect(try await !polls.poll("d", until: now + .seconds(60), at: now).isTooSoon)
        #expect(try await polls.poll("d", until: now + .seconds(60), at: now).isTooSoon)
    }
}
