import Bridge
import Testing

@testable import SQLStorage

/// What an operator is told of an SQLite database that is not as this version makes it.
@Suite struct StorageErrorCauseTests {
    private let noon = Timestamp(milliseconds: 1_763_708_400_123)

    /// Why the account cannot be read after a statement of somebody else's.
    private func causeOfReadingAlice(after statement: SQLStatement) async throws -> StorageError.Cause? {
        var cause: StorageError.Cause?
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let alice = Account(subject: "alice", username: Username("alice"), role: .admin, createdAt: noon)
            let event = AuditEvent(at: noon, type: .userCreated, outcome: .success)
            _ = try await storage.addAccount(alice, issuer: Account.issuer, link: nil, event: event)
            try storage.onWriter(statement)
            let error = await #expect(throws: StorageError.self) { try await storage.account(of: "alice") }
            cause = error?.cause
        }
        return cause
    }

    @Test func `a word that another version knows is no damage`() async throws {
        let cause = try await causeOfReadingAlice(after: "UPDATE account SET role = 'auditor'")
        #expect(cause == .notUnderstood)
    }

    @Test func `a value of another kind is damage`() async throws {
        let cause = try await causeOfReadingAlice(after: "UPDATE account SET created_at = x'00'")
        #expect(cause == .damage)
    }

    @Test(
        arguments: [
            (.damage, "the database is damaged"), (.missing("table account"), "the database has no table account"),
            (.notUnderstood, "the database holds something that this program cannot use"),
            (.engine(code: "SQLite 8"), "SQLite 8"), (.noConnection, "the connection to the database failed"),
            (.otherServer, "a connection leads to another database server than the one that is written to"),
            (.unknown, nil),
        ] as [(StorageError.Cause, String?)])
    func `the log has words of ours for each cause`(cause: StorageError.Cause, words: String?) {
        #expect(cause.words == words)
    }

    @Test func `a table that is gone is named`() async throws {
        let cause = try await causeOfReadingAlice(after: "DROP TABLE account")
        #expect(cause == .missing("table account"))
    }

    @Test func `what else an engine says is told by its code alone`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let insert: SQLStatement = "INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ('a', 'i', 1)"
            try storage.onWriter(insert)
            let error = await #expect(throws: StorageError.self) {
                try await storage.write { _ = try $0.run(insert) }
            }
            #expect(error?.cause == .engine(code: "SQLite 1555 (constraint failed)"))
        }
    }
}
