import Bridge
import Testing

@testable import drawbridge

/// What an operator is told of a database that a command cannot work on.
@Suite struct DatabaseFailureTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    private var database: String { "\(folder.path)/data/drawbridge.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
    }

    private func told(_ error: StorageError, of database: String? = "d") -> String? {
        guard let database else { return CommandFailure(error)?.description }
        return CommandFailure(DatabaseFailure(database: database, error: error))?.description
    }

    @Test(arguments: ["table audit_event", "column node_id"])
    func `a table or column that is gone is named, and nothing of an engine's message`(_ what: String) {
        let error = StorageError.corrupt("what quotes alice", because: .missing(what))
        let expected =
            "The database has no \(what): it is damaged, or another program's. drawbridge check-config says which "
            + "database that is; drawbridge restore puts a backup in its place."
        #expect(told(error) == expected)
        #expect(told(error, of: nil) == expected)
    }

    @Test func `a damaged database is named, with what to do and without what its engine quotes`() {
        #expect(
            told(.corrupt("what quotes alice", because: .damage))
                == "The database d is damaged: something in it cannot be read. drawbridge restore puts a backup in its "
                + "place; see Restore in docs/operations.md.")
    }

    @Test func `a statement that an engine refuses is told by its code, without what is quoted`() {
        let error = StorageError.corrupt("what quotes alice", because: .engine(code: "SQLite 2067 (constraint failed)"))
        #expect(told(error) == "The database d refused a statement of this program: SQLite 2067 (constraint failed).")
    }

    @Test(arguments: [
        "the document of client shop: colour is not a field of a client", "a stored username is malformed",
    ])
    func `what this program cannot use in a database is told, and nobody is sent to restore a backup`(text: String) {
        #expect(told(.corrupt(text)) == "The database d holds something that this program cannot use: \(text).")
    }

    @Test func `a database that cannot be used is named, with its engine's code alone`() {
        let full = StorageError.unavailable(
            "what quotes alice", because: .engine(code: "SQLite 13 (database or disk is full)"))
        #expect(told(full) == "The database d cannot be used: SQLite 13 (database or disk is full).")
        #expect(told(full, of: nil) == "Storage unavailable.")
        #expect(
            told(.unavailable("what quotes alice", because: .noConnection))
                == "The database d cannot be used: the connection to PostgreSQL failed.")
        #expect(
            told(.unavailable("what nobody knows", because: .otherServer))
                == "The database d cannot be used: two servers answer there, as where an old primary runs again after "
                + "a failover. Stop that one; see Failover in docs/postgresql.md.")
        #expect(
            told(.unavailable("what nobody knows"))
                == "The database d cannot be used now; drawbridge check-config --online says more.")
    }

    private static let onAlice: [[String]] = [
        ["users", "list"], ["users", "password", "alice"], ["users", "role", "alice", "none"],
        ["users", "disable", "alice"], ["users", "passkeys", "list", "alice"],
        ["users", "passkeys", "remove", "alice"],
        ["users", "second-factor", "enrol", "alice"], ["users", "second-factor", "enrol", "--replace", "alice"],
        ["users", "second-factor", "remove", "alice"], ["users", "second-factor", "recovery-codes", "alice"],
    ]

    @Test(arguments: onAlice)
    func `a role that another version knows is no damage, whichever command meets it`(_ words: [String]) async throws {
        try await prepare("keys", "init")
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        try SQLiteDump.restore("UPDATE account SET role = 'auditor'", to: database)
        let ran = await run(words, input: "another good one\n")
        #expect(ran.status == 1)
        #expect(
            ran.reason == "The database \(database) holds something that this program cannot use: column 5 of the "
                + "result is no Role that it knows.")
    }

    private static let onShop: [[String]] = [
        ["clients", "list"], ["clients", "show", "shop"], ["explain", "redirect", "--client", "shop", "/cart"],
        ["explain", "token"], ["explain", "bearer"], ["explain", "exchange", "--client", "shop"],
    ]

    @Test(arguments: onShop)
    func `a client that cannot be read is named with its database, whichever command meets it`(
        _ words: [String]
    ) async throws {
        try await prepare("keys", "init")
        try await prepare("keys", "rotate")
        let document = #"{"client_id":"shop","client_type":"native","colour":"red"}"#
        try SQLiteDump.restore(
            "INSERT INTO client (client_id, document, updated_at) VALUES ('shop', '\(document)', 0)", to: database)
        let ran = await run(words, input: "no.token.here\nsecret\n")
        #expect(ran.status == 1)
        #expect(
            ran.reason == "The database \(database) holds something that this program cannot use: the document of "
                + "client shop: colour is not a field of a client.")
    }
}
