import Bridge
import GRDB
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct SQLiteLookupsTests {
    private static let subject: SQLStatement = "SELECT subject FROM app_user WHERE subject = $1"
    private static let delete: SQLStatement = "DELETE FROM app_user WHERE subject = $1"

    private static func withLookups(_ body: (DurableStorage, SQLiteLookups) async throws -> Void) async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            var configuration = Configuration()
            configuration.readonly = true
            let lookups = SQLiteLookups(path: database.path, configuration: configuration)
            try await body(storage, lookups)
            try lookups.close()
            try await storage.close()
        }
    }

    private static func finds(_ subject: String, in session: any SQLSession) throws -> Bool {
        try !session.run(Self.subject, [.text(subject)]).isEmpty
    }

    @Test func `a look-up sees what was committed before it, on a connection that it used already`() async throws {
        try await Self.withLookups { storage, lookups in
            let early = try lookups.run { try Self.finds("alice", in: $0) }
            try await storage.addUser("alice", at: Visit.now)
            let late = try lookups.run { try Self.finds("alice", in: $0) }
            #expect(!early && late)
        }
    }

    @Test func `look-ups at the same time wait for nobody`() async throws {
        try await Self.withLookups { storage, lookups in
            try await storage.addUser("alice", at: Visit.now)
            let found = try lookups.run { outer in
                let inner = try lookups.run { try Self.finds("alice", in: $0) }
                return try inner && Self.finds("alice", in: outer)
            }
            #expect(found)
        }
    }

    @Test func `a look-up cannot write`() async throws {
        try await Self.withLookups { storage, lookups in
            try await storage.addUser("alice", at: Visit.now)
            #expect(throws: (any Error).self) {
                try lookups.run { try $0.change(Self.delete, [.text("alice")]) }
            }
            let isThere = try lookups.run { try Self.finds("alice", in: $0) }
            #expect(isThere)
        }
    }

    @Test func `a look-up under way outlives the close, and none begins after it`() async throws {
        try await Self.withLookups { storage, lookups in
            try await storage.addUser("alice", at: Visit.now)
            let found = try lookups.run { session in
                try lookups.close()
                return try Self.finds("alice", in: session)
            }
            #expect(found)
            #expect(throws: SQLError.self) { try lookups.run { _ in } }
        }
    }
}
