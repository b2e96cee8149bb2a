import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed")) struct PostgresMigrationTests {
    @Test func `the provider's keys of the first version stand, and can be changed`() async throws {
        try await PostgresDatabase.with { database in
            try FirstVersionKeys.fill(try database.session(), .postgres)
            try await FirstVersionKeys.check(try await database.open())
        }
    }

    /// A user by the name of `ελένη` would be refused there, long after the start.
    @Test func `a database that cannot hold every letter is refused, with what to do`() async throws {
        let server = try await PostgresServer.shared()
        _ = try server.administrator().run(
            SQLStatement(
                "CREATE DATABASE western ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", isRecurring: false))
        let address = try PostgresAddress("postgres://drawbridge@127.0.0.1:\(server.port)/western")
        let expected = PostgresOpenError.wrongEncoding(database: "127.0.0.1/western", found: "LATIN1")
        await #expect(throws: expected) {
            _ = try await PostgresStorage.open(
                address, node: "n", signer: UnsignedCheckpoints(), logger: .silent)
        }
        await #expect(throws: expected) {
            _ = try await PostgresStorage.openForReading(address, logger: .silent)
        }
        #expect(expected.description.contains("createdb --encoding UTF8 --template template0"))
    }
}
