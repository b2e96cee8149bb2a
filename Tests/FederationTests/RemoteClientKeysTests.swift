import Bridge
import Federation
import HTTPTypes
import Logging
import OAuth2
import Synchronization
import Testing

/// A clock that stands still until it is moved on.
final class StandingClock: Sendable {
    private let instant = Mutex(TestToken.now)

    var source: TimeSource { TimeSource { [self] in instant.withLock { $0 } } }

    func advance(_ duration: Duration) { instant.withLock { $0 = $0 + duration } }
}

/// The keys of clients with `jwks_uri`.
@Suite struct RemoteClientKeysTests {
    private let clock = StandingClock()

    private func withKeys(
        _ body: @escaping @Sendable (RemoteClientKeys, Client, IssuerServer) async throws -> Void
    ) async throws {
        let keys = RemoteClientKeys(
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), time: clock.source)
        try await IssuerServer.run { server, origin in
            var client = Client(id: "machine", name: "A machine", kind: .service)
            client.keysURI = "\(origin)/jwks"
            try await body(keys, client, server)
        }
    }

    private static func isUnreachable(_ keys: RemoteClientKeys, of client: Client) async -> Bool {
        do {
            _ = try await keys.keys(of: client)
            return false
        } catch {
            return error is StorageError
        }
    }

    @Test func `attack: a hundred assertions at once, and a hundred more, fetch broken keys once`() async throws {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", with: .init(status: .internalServerError))
            for _ in 0..<2 {
                let failures = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<100 { group.addTask { await Self.isUnreachable(keys, of: client) } }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(failures == 100)
                #expect(keys.mustFetchKeys(of: client))
            }
            #expect(server.count(of: "/jwks") == 1)
            clock.advance(.seconds(30))
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client).map(\.id) == ["k1"])
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `keys are believed for a minute, and half a minute more while their address does not answer`()
        async throws
    {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            for _ in 0..<3 { #expect(try await keys.keys(of: client).count == 1) }
            #expect(!keys.mustFetchKeys(of: client) && server.count(of: "/jwks") == 1)
            server.answer("/jwks", with: .init(status: .internalServerError))
            clock.advance(.seconds(29))
            #expect(try await keys.keys(of: client).count == 1)
            clock.advance(.seconds(31))
            #expect(try await keys.keys(of: client).count == 1, "one fetch that failed keeps nobody out")
            clock.advance(.seconds(30))
            #expect(keys.mustFetchKeys(of: client))
            #expect(await Self.isUnreachable(keys, of: client))
        }
    }

    @Test(arguments: ["<html>", "{}", "[]", #"{"keys":null}"#])
    func `what is no key set says nothing of the keys, so they are believed as if nothing had come`(
        page: String
    ) async throws {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client).count == 1)
            server.answer("/jwks", json: Array(page.utf8))
            clock.advance(.seconds(60))
            #expect(try await keys.keys(of: client).count == 1)
            clock.advance(.seconds(30))
            #expect(await Self.isUnreachable(keys, of: client))
            server.answer("/jwks", json: Array(#"{"keys":[]}"#.utf8))
            clock.advance(.seconds(30))
            #expect(try await keys.keys(of: client).isEmpty, "all of them withdrawn")
        }
    }

    @Test func `keys in a client's document are fetched from nowhere`() async throws {
        try await withKeys { keys, client, server async throws in
            var own = client
            own.keysURI = nil
            #expect(try await keys.keys(of: own).isEmpty && !keys.mustFetchKeys(of: own))
            #expect(server.received.isEmpty)
        }
    }
}
