import Foundation
import OAuth2
import Testing

@testable import Bridge

/// Since when a client's tokens administer (ADR-0074).
@Suite struct AdminEpochTests {
    private static func client(_ scope: String = Scope.admin, _ change: (inout Client) -> Void = { _ in }) -> Client {
        var client = Client(id: "ops", name: "Ops", kind: .service)
        client.scope = Scope(tokens: [scope])
        client.secretDigest = "digest"
        client.adminEpoch = noon
        change(&client)
        return client
    }

    /// States of a client, and whether another epoch begins with the second.
    private static let changes: [(String, Client, Client, isNew: Bool)] = [
        ("another name", client(), client { $0.name = "Another" }, false),
        ("another lifetime", client(), client { $0.accessTokenLifetime = .seconds(60) }, false),
        ("more scope", client(), client { $0.scope = Scope(tokens: [Scope.admin, "read"]) }, false),
        ("another secret", client(), client { $0.secretDigest = "other" }, true),
        ("another method", client(), client { $0.authenticationMethod = .clientSecretPost }, true),
        ("keys", client(), client { $0.keys = .object(["keys": .array([])]) }, true),
        ("an address of keys", client(), client { $0.keysURI = "https://a.example/keys" }, true),
        ("the right is taken", client(), client("read"), true),
        ("the right is given", client("read"), client(), true),
        ("the secret of what may not", client("read"), client("read") { $0.secretDigest = "other" }, false),
    ]

    @Test(arguments: changes.indices)
    func `another epoch begins where a token may be in wrong hands, or the right changes`(number: Int) {
        let (what, before, after, isNew) = Self.changes[number]
        let later = noon + .seconds(1)
        #expect(after.epoch(replacing: before, at: later) == (isNew ? later : noon), "\(what)")
    }

    @Test func `it begins later than the one before, however far behind a node's clock is`() {
        let after = Self.client { $0.secretDigest = "other" }
        for late in [noon, noon - .seconds(60)] {
            #expect(after.epoch(replacing: Self.client(), at: late) == noon + .milliseconds(1))
        }
    }

    @Test func `a new client's tokens are of its own time, and of none where it may not administer`() {
        let now = noon + .seconds(5)
        #expect(Self.client().epoch(replacing: nil, at: now) == now)
        #expect(Self.client("read").epoch(replacing: nil, at: now) == AdminCredential.firstEpoch)
    }

    @Test func `a token says it with the scope admin alone`() throws {
        let client = Self.client()
        #expect(client.epoch(in: Scope(tokens: [Scope.admin, "read"])) == noon)
        #expect(client.epoch(in: Scope(tokens: ["read"])) == nil)
    }

    @Test func `a client's document says nothing of it, which nodes of the version before could not read`() throws {
        let document = try JSONEncoder().encode(ClientDocument(Self.client()))
        #expect(JSONValue.parse(bytes: Array(document))?.object?.keys.contains { $0.contains("epoch") } == false)
    }
}
