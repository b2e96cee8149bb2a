import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

/// What a node of the version before writes of a user's ends, while nodes are replaced one after another.
@Suite struct EndsOfEverythingTests {
    /// The statement of the versions before step 48, for any end.
    private static func endByOlderNode(_ subject: Subject, at moment: Timestamp) -> SQLStatement {
        SQLStatement(
            """
            UPDATE app_user SET login_tokens_void_until = CASE WHEN login_tokens_void_until >= \(moment.milliseconds)
                THEN login_tokens_void_until + 1 ELSE \(moment.milliseconds) END
            WHERE subject = '\(subject.rawValue)'
            """, isRecurring: false)
    }

    private static func endUnused(_ storage: DurableStorage) async throws {
        _ = try await storage.end(.unused(of: "alice"), .sample(.endedByUser, at: Visit.now))
    }

    private static func account(_ storage: DurableStorage) async throws -> Account {
        try #require(try await storage.account(of: "alice"))
    }

    private func withAlice(_ body: (DurableStorage) async throws -> Void) async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            _ = try await storage.addAccount(
                Account(subject: "alice", username: Username("alice"), createdAt: Visit.now), issuer: Account.issuer,
                link: nil, event: .sample(.userCreated))
            try await body(storage)
        }
    }

    @Test func `what a node of the version before ends counts as an end of everything`() async throws {
        try await withAlice { storage in
            try await Self.endUnused(storage)
            #expect(try await Self.account(storage).everythingEndedAt == nil)
            try storage.onWriter(Self.endByOlderNode("alice", at: Visit.now))
            let ended = try await Self.account(storage).everythingEndedAt
            #expect(ended != nil)
            try await Self.endUnused(storage)
            #expect(try await Self.account(storage).everythingEndedAt == ended)
            try storage.onWriter(Self.endByOlderNode("alice", at: Visit.now))
            #expect(try await Self.account(storage).everythingEndedAt != ended)
        }
    }

    @Test func `what a node of the version before goes by grows with every end`() async throws {
        try await withAlice { storage in
            let column: SQLStatement = "SELECT login_tokens_void_until FROM app_user WHERE subject = 'alice'"
            _ = try await storage.end(.user("alice"), .sample(at: Visit.now))
            let first = try storage.onWriter(column)
            #expect(first.map(\.values) == [[SQLValue(Visit.now)]])
            try await Self.endUnused(storage)
            let second = try storage.onWriter(column)
            #expect(second.map(\.values) == [[SQLValue(Visit.now + .milliseconds(1))]])
        }
    }
}
