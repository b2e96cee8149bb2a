import Bridge
import BridgeTestSupport
import Foundation
import Testing

@testable import SQLStorage

/// Nodes that start after a shared database was put back: each misses its own events, and the restore counts once.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"), .timeLimit(.minutes(3)))
struct PostgresRestoreTests {
    private static let event = NodeLeaseTests.event

    /// Runs `body` with a database that has lost what its node `n` wrote last, and the path of that node's note.
    private static func afterLoss(_ body: (PostgresDatabase, _ mark: String) async throws -> Void) async throws {
        try await PostgresDatabase.with { database in
            let mark = FileManager.default.temporaryDirectory.appendingPathComponent("mark-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: mark) }
            let storage = try await database.open(node: "n", markPath: mark)
            try await storage.append([event])
            try await storage.close()
            _ = try database.session().run("DELETE FROM audit_event WHERE node = 'n'")
            try await body(database, mark)
        }
    }

    private static func restore(_ database: PostgresDatabase) async throws {
        let command = try await database.open(node: "n-cli")
        _ = try await command.recordRestore(
            by: .login("root"), at: TimeSource.system.now(), keepsSessions: true, reason: nil)
        try await command.close()
    }

    private static func number(_ database: PostgresDatabase) throws -> [[SQLValue]] {
        try database.session().run("SELECT number FROM restore_point").map(\.values)
    }

    @Test func `a node that starts after a restore that was counted ends nothing again, and says what it lacks`()
        async throws
    {
        try await Self.afterLoss { database, mark in
            try await Self.restore(database)
            let storage = try await database.open(node: "n", markPath: mark)
            #expect(try Self.number(database) == [[.integer(1)]])
            await storage.reportRestores()
            let reasons: SQLStatement = """
                SELECT reason FROM audit_event WHERE type = 'database.restored' AND node = 'n'
                """
            #expect(try database.session().run(reasons).map(\.values) == [[.text("events_missing")]])
        }
    }

    @Test func `a node that starts on a database that was put back in silence counts it`() async throws {
        try await Self.afterLoss { database, mark in
            _ = try await database.open(node: "n", markPath: mark)
            #expect(try Self.number(database) == [[.integer(1)]])
        }
    }

    @Test func `what a node wrote after a restore was counted is not covered by that count`() async throws {
        try await Self.afterLoss { database, mark in
            try await Self.restore(database)
            // As a server that went on beside the one that counted: it noted its last commit later.
            _ = try database.session().run("UPDATE restore_point SET restored_at = restored_at - 3600000")
            _ = try await database.open(node: "n", markPath: mark)
            #expect(try Self.number(database) == [[.integer(2)]])
        }
    }

    @Test func `a second loss after a restore that the node knows of is counted`() async throws {
        try await Self.afterLoss { database, mark in
            try await Self.restore(database)
            let storage = try await database.open(node: "n", markPath: mark)
            try await storage.append([Self.event])
            try await storage.close()
            _ = try database.session().run("DELETE FROM audit_event WHERE node = 'n'")
            _ = try await database.open(node: "n", markPath: mark)
            #expect(try Self.number(database) == [[.integer(2)]])
        }
    }
}
