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

    private static func isUnreachable(
        _ keys: RemoteClientKeys, of client: Client, keyID: String? = nil
    ) async -> Bool {
        do {
            _ = try await keys.keys(of: client, keyID: keyID)
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
                #expect(keys.mustFetchKeys(of: client, keyID: nil))
            }
            #expect(server.count(of: "/jwks") == 1)
            clock.advance(.seconds(30))
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client, keyID: nil).map(\.id) == ["k1"])
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `keys are believed for a minute, and half a minute more while their address does not answer`()
        async throws
    {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            for _ in 0..<3 { #expect(try await keys.keys(of: client, keyID: nil).count == 1) }
            #expect(!keys.mustFetchKeys(of: client, keyID: nil) && server.count(of: "/jwks") == 1)
            server.answer("/jwks", with: .init(status: .internalServerError))
            clock.advance(.seconds(29))
            #expect(try await keys.keys(of: client, keyID: nil).count == 1)
            clock.advance(.seconds(31))
            #expect(try await keys.keys(of: client, keyID: nil).count == 1, "one fetch that failed keeps nobody out")
            clock.advance(.seconds(30))
            #expect(keys.mustFetchKeys(of: client, keyID: nil))
            #expect(await Self.isUnreachable(keys, of: client))
        }
    }

    @Test(arguments: ["<html>", "{}", "[]", #"{"keys":null}"#])
    func `what is no key set says nothing of the keys, so they are believed as if nothing had come`(
        page: String
    ) async throws {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client, keyID: nil).count == 1)
            server.answer("/jwks", json: Array(page.utf8))
            clock.advance(.seconds(60))
            #expect(try await keys.keys(of: client, keyID: nil).count == 1)
            clock.advance(.seconds(30))
            #expect(await Self.isUnreachable(keys, of: client))
            server.answer("/jwks", json: Array(#"{"keys":[]}"#.utf8))
            clock.advance(.seconds(30))
            #expect(try await keys.keys(of: client, keyID: nil).isEmpty, "all of them withdrawn")
        }
    }

    @Test func `OpenID Connect Core §10.1.1: a key that a client has changed to is fetched when it is first named`()
        async throws
    {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client, keyID: "k1").map(\.id) == ["k1"])
            server.answer("/jwks", json: keySet([ECKey(keyID: "k2").jwk()]))
            clock.advance(.seconds(5))
            #expect(keys.mustFetchKeys(of: client, keyID: "k2") && !keys.mustFetchKeys(of: client, keyID: "k1"))
            #expect(try await keys.keys(of: client, keyID: "k2").map(\.id) == ["k2"])
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `a key that may have come since the last fetch cannot be judged, and one that did not come is none`()
        async throws
    {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client, keyID: "k1").count == 1)
            clock.advance(.seconds(1))
            for _ in 0..<2 { #expect(await Self.isUnreachable(keys, of: client, keyID: "k2")) }
            #expect(server.count(of: "/jwks") == 1)
            clock.advance(.seconds(4))
            #expect(try await keys.keys(of: client, keyID: "k2").map(\.id) == ["k1"])
            clock.advance(.seconds(1))
            #expect(try await keys.keys(of: client, keyID: "k2").map(\.id) == ["k1"], "a fetch did not bring it")
            #expect(await Self.isUnreachable(keys, of: client, keyID: "k3"))
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `attack: a key id that was named before its key was there keeps its client out for a minute at most`()
        async throws
    {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client, keyID: "k2").map(\.id) == ["k1"])
            clock.advance(.seconds(60))
            #expect(try await keys.keys(of: client, keyID: "k1").count == 1)
            server.answer("/jwks", json: keySet([ECKey(keyID: "k2").jwk()]))
            clock.advance(.seconds(1))
            #expect(await Self.isUnreachable(keys, of: client, keyID: "k2"), "it may have come since the last fetch")
            clock.advance(.seconds(4))
            #expect(try await keys.keys(of: client, keyID: "k2").map(\.id) == ["k2"])
        }
    }

    @Test func `attack: invented key ids fetch the keys once within the floor, and keep nobody out`() async throws {
        try await withKeys { [clock] keys, client, server async throws in
            func unjudged() async -> Int {
                await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask { await Self.isUnreachable(keys, of: client, keyID: "invented \(number)") }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
            }
            server.answer("/jwks", json: keySet([ECKey(keyID: "k1").jwk()]))
            #expect(try await keys.keys(of: client, keyID: "k1").count == 1)
            clock.advance(.milliseconds(4999))
            #expect(await unjudged() == 100)
            #expect(try await keys.keys(of: client, keyID: "k1").count == 1)
            #expect(server.count(of: "/jwks") == 1)
            clock.advance(.milliseconds(1))
            #expect(await unjudged() == 0)
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `a key without an id may have any, so nothing is fetched for the id of an assertion`() async throws {
        try await withKeys { [clock] keys, client, server async throws in
            server.answer("/jwks", json: keySet([ECKey(keyID: nil).jwk()]))
            for keyID in ["k1", "k2"] {
                #expect(try await keys.keys(of: client, keyID: keyID).count == 1)
                clock.advance(.seconds(5))
            }
            #expect(server.count(of: "/jwks") == 1)
        }
    }

    @Test func `keys in a client's document are fetched from nowhere`() async throws {
        try await withKeys { keys, client, server async throws in
            var own = client
            own.keysURI = nil
            #expect(try await keys.keys(of: own, keyID: "k1").isEmpty && !keys.mustFetchKeys(of: own, keyID: "k1"))
            #expect(server.received.isEmpty)
        }
    }
}
