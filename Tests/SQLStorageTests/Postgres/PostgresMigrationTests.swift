import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed")) struct PostgresMigrationTests {
    @Test func `the provider's keys of the first version stand, and can be changed`() async throws {
        try await PostgresDatabase.with { database in
            try FirstVersionKeys.fill(try database.session(), .postgres)
            try await FirstVersionKeys.check(try await database.open())
        }
    }
}
