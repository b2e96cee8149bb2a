import Bridge
import OAuth2
import Testing

@testable import SQLStorage

/// Clients as other versions of this program stored them: before an upgrade, or during one.
@Suite struct StoredClientTests {
    typealias Place = AnticipationTests.Place

    /// With no field but those that a client cannot be without.
    private static let earlier = #"{"client_id":"shop","client_name":"Shop","client_type":"web"}"#
    /// With one that only a later version knows.
    private static let later = #"{"client_id":"shop","client_name":"Shop","client_type":"web","surprise":true}"#
    /// One that administers.
    private static let operating = """
        {"client_id":"shop","client_name":"Shop","client_type":"service","scope":"admin",\
        "client_secret_digest":"3wPdEbJMECodj3zV6gNnZCEGhXuEcU4YWwGG06WErd0"}
        """
    private static let renamed = Client(id: "shop", name: "Shop 2", kind: .web)

    @Test(arguments: Place.present)
    func `a client that was stored with fewer fields is changed as it was read`(place: Place) async throws {
        try await place.with { storage, _ in
            try await storage.keep(Self.earlier)
            let seen = try #require(try await storage.clients().first)
            #expect(try await storage.save(Self.renamed, expecting: .unchanged(seen), event: .sample(.clientChanged)))
            #expect(try await storage.clients() == [Self.renamed])
        }
    }

    @Test(arguments: Place.present)
    func `a client that was stored with fewer fields is deleted as it was read`(place: Place) async throws {
        try await place.with { storage, _ in
            try await storage.keep(Self.earlier)
            let seen = try #require(try await storage.clients().first)
            #expect(try await storage.deleteClient(unchanged: seen, event: .sample(.clientDeleted)))
            #expect(try await storage.clients().isEmpty)
        }
    }

    /// A node of the version before 51 neither writes nor reads the epoch; its document is that of today (ADR-0074).
    @Test(arguments: Place.present)
    func `the epoch of a client stays out of its document, and as it was where an older node writes that`(
        place: Place
    ) async throws {
        try await place.with { storage, _ in
            try await storage.keep(Self.operating)
            let seen = try #require(try await storage.clients().first)
            #expect(seen.adminEpoch == AdminCredential.firstEpoch)
            var changed = seen
            changed.secretDigest = nil
            let event = AuditEvent.sample(.clientChanged)
            #expect(try await storage.save(changed, expecting: .unchanged(seen), event: event))
            #expect(try await storage.clients().first?.adminEpoch == event.at)
            #expect(try await storage.documents().allSatisfy { !$0.contains("epoch") })
            try await storage.keep(Self.operating)
            #expect(try await storage.clients().first?.adminEpoch == event.at)
        }
    }

    @Test(arguments: Place.present)
    func `a console that an older node opened counts as of its own time`(place: Place) async throws {
        try await place.with { storage, _ in
            try await storage.write {
                _ = try $0.run(
                    """
                    INSERT INTO admin_session
                        (secret_digest, actor, created_at, expires_at, last_seen_at, token_id, client_id)
                    VALUES ('d', 'client:shop', 5000, 9000, 5000, 't', 'shop')
                    """, [])
            }
            let session = try await storage.adminSession(secretDigest: "d")
            #expect(session?.credential.epoch == Timestamp(milliseconds: 5000))
        }
    }

    @Test(arguments: Place.present)
    func `what a later version has stored meanwhile is not what an older one has seen`(place: Place) async throws {
        try await place.with { storage, _ in
            try await storage.keep(Self.earlier)
            let seen = try #require(try await storage.clients().first)
            try await storage.keep(Self.later)
            #expect(try await !storage.save(Self.renamed, expecting: .unchanged(seen), event: .sample(.clientChanged)))
            #expect(try await !storage.deleteClient(unchanged: seen, event: .sample(.clientDeleted)))
            #expect(try await storage.deleteClient("shop", event: .sample(.clientDeleted)))
        }
    }
}

extension DurableStorage {
    /// The documents of the clients as they are stored.
    fileprivate func documents() async throws -> [String] {
        try await read { session in try session.run("SELECT document FROM client").map { try $0.text(0) } }
    }

    /// Stores a client's document as it is.
    fileprivate func keep(_ document: String) async throws {
        let statement: SQLStatement = """
            INSERT INTO client (client_id, document, updated_at) VALUES ('shop', $1, 1)
            ON CONFLICT (client_id) DO UPDATE SET document = excluded.document
            """
        try await write { _ = try $0.run(statement, [.text(document)]) }
    }
}
