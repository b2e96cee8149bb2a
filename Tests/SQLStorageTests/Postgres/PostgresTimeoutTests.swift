import Bridge
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed")) struct PostgresTimeoutTests {
    /// Otherwise `restore --in-place` would give up on ending a million sessions, each time that it is tried.
    @Test(arguments: [(false, "5s"), (true, "1h")])
    func `a command that goes through whole tables has an hour for a statement, a service five seconds`(
        isPatient: Bool, limit: String
    ) async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(isPatient: isPatient)
            let limits = try await storage.write { transaction in
                try transaction.run("SELECT current_setting('statement_timeout')")
            }
            #expect(limits.map(\.values) == [[.text(limit)]])
        }
    }
}
