import Bridge
import Testing
import TestSupport

@testable import RedisStorage

/// What `check-config --online` asks of Redis (docs/operations.md, Redis).
@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisCheckTests {
    /// - Returns: why Redis is of no use; `nil` when it is.
    private func problem(_ settings: RedisSettings) async throws -> String? {
        try await TestClient.with(settings) { client -> String? in
            do {
                try await client.checkUsable(prefix: RedisKeys.standardPrefix)
                return nil
            } catch let error as StorageError {
                return error.text
            }
        }
    }

    @Test func `a server that takes writes is of use, and nothing is left in it`() async throws {
        try await RedisServer.with { server async throws in
            // The second time it knows the script already.
            for _ in 1...2 { #expect(try await problem(TestClient.settings(server.address)) == nil) }
            #expect(try await server.run("DBSIZE") == .integer(0))
        }
    }

    @Test(arguments: [(RedisOutageTests.Outage.full, "OOM"), (.replica, "READONLY")])
    func `a server that answers and takes no writes is not, and the reason is told`(
        outage: RedisOutageTests.Outage, word: String
    ) async throws {
        try await RedisServer.with { server in
            try await outage.begin(server)
            let text = try #require(try await problem(TestClient.settings(server.address)))
            #expect(text.hasPrefix("Redis refused a command: \(word) ("), "\(text)")
        }
    }

    @Test(arguments: ["set", "eval", "evalsha", "zadd", "pexpire", "time"])
    func `a right that is missing is told, within a script as well`(command: String) async throws {
        try await RedisServer.withUser(["+@all", "-\(command)"]) { server in
            var settings = TestClient.settings(server.address)
            settings.credentials = RedisCredentials(user: "web", password: Secret("web-password"))
            let text = try #require(try await problem(settings))
            #expect(text.hasPrefix("Redis refused a command: NOPERM ("), "\(text)")
        }
    }

    @Test func `a wrong password is told as one, although there is no connection`() async throws {
        try await RedisServer.withUser(["+@all"]) { server in
            var settings = TestClient.settings(server.address)
            settings.credentials = RedisCredentials(user: "web", password: Secret("wrong"))
            let text = try #require(try await problem(settings))
            #expect(text.hasPrefix("Redis refused a command: WRONGPASS ("), "\(text)")
        }
    }

    @Test func `where nobody listens, that is what is told`() async throws {
        let address = RedisAddress(host: "127.0.0.1", port: Int(try FreePort.pick()))
        let text = try #require(try await problem(TestClient.settings(address)))
        #expect(text == "Redis: there is no connection; nobody answers there")
    }
}
