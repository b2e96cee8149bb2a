import Bridge
import StorageConformance
import Synchronization
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresCopyTests {
    @Test func `a copy holds what the source held, and its nodes go on where they were`() async throws {
        try await TemporaryDatabase.with { source in
            let embedded = try source.open(node: "n")
            for number in 0..<2500 { _ = try await embedded.redeemSample("Zoë 王 \(number)") }
            try await embedded.addUser("alice", at: Timestamp(milliseconds: 1))
            try await embedded.close()
            try await PostgresDatabase.with { target in
                let report = try await StorageCopy.run(
                    fromSQLite: source.path, to: target.address, at: Timestamp(milliseconds: 2))
                #expect(report.rows.first { $0.table == "web_session" }?.count == 2500)
                #expect(report.rows.first { $0.table == "audit_event" }?.count == 2501)
                let storage = try await target.open(node: "n")
                #expect(try await storage.redeemSample("Zoë 王 7") != .opened)
                #expect(try await storage.redeemSample("another") == .opened)
                try await storage.expectIntactChain(of: "n")
            }
        }
    }

    @Test func `a target that holds anything is refused`() async throws {
        try await TemporaryDatabase.with { source in
            try await source.open().close()
            try await PostgresDatabase.with { target in
                try await target.open().addUser("bob", at: Timestamp(milliseconds: 1))
                await #expect(throws: StorageCopyError.targetNotEmpty("app_user")) {
                    try await StorageCopy.run(
                        fromSQLite: source.path, to: target.address, at: Timestamp(milliseconds: 2))
                }
            }
        }
    }

    @Test func `a source that a process still writes is refused`() async throws {
        try await TemporaryDatabase.with { source in
            _ = try source.open(node: "busy")
            try await PostgresDatabase.with { target in
                await #expect(throws: StorageCopyError.sourceInUse("busy")) {
                    try await StorageCopy.run(
                        fromSQLite: source.path, to: target.address, at: Timestamp(milliseconds: 2))
                }
            }
        }
    }

    @Test func `nobody can begin to write the source while it is copied, and afterwards anybody can`() async throws {
        try await TemporaryDatabase.with { source in
            let embedded = try source.open(node: "n")
            _ = try await embedded.redeemSample("t")
            try await embedded.close()
            let turnedAway = TurnedAway()
            let names: Set = ["n", "n-cli", "new", "new-cli"]
            try await PostgresDatabase.with { target in
                _ = try await StorageCopy.run(
                    fromSQLite: source.path, to: target.address, nodes: ["new"], at: Timestamp(milliseconds: 2),
                    progress: { _ in turnedAway.tryAll(names, of: source.path) })
            }
            #expect(turnedAway.names == names)
            for name in names { _ = try source.open(node: name) }
        }
    }

    @Test func `a row that arrives changed undoes the whole copy`() async throws {
        try await TemporaryDatabase.with { source in
            let embedded = try source.open(node: "n")
            _ = try await embedded.redeemSample("t")
            try await embedded.close()
            try await PostgresDatabase.with { target in
                try await target.open().close()
                let operators = try target.session()
                _ = try operators.run("DELETE FROM heartbeat")
                _ = try operators.run(
                    """
                    CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN NEW.acr = ''spoilt''; RETURN NEW; END'
                    """)
                _ = try operators.run(
                    "CREATE TRIGGER spoil BEFORE INSERT ON web_session FOR EACH ROW EXECUTE FUNCTION spoil()")
                await #expect(throws: StorageCopyError.differs("web_session")) {
                    try await StorageCopy.run(
                        fromSQLite: source.path, to: target.address, at: Timestamp(milliseconds: 2))
                }
                #expect(try operators.run("SELECT token_id FROM login_token_use") == [])
            }
        }
    }

    @Test func `every table and column of the database is copied`() async throws {
        try await TemporaryDatabase.with { source in
            let storage = try source.open()
            let tables = try storage.onWriter(
                """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT IN
                    ('schema_migration', 'transaction_number', 'audit_segment', 'audit_index', 'node_lease',
                     'restore_point') ORDER BY name
                """)
            #expect(try tables.map { try $0.text(0) } == CopiedTable.all.map(\.name).sorted())
            for table in CopiedTable.all {
                let columns = try storage.onWriter(
                    SQLStatement(
                        "SELECT name FROM pragma_table_info('\(table.name)') WHERE name <> 'ended_in' ORDER BY cid"))
                #expect(try columns.map { try $0.text(0) } == table.columns)
            }
        }
    }
}

/// Names that somebody else had when a process wanted them.
private final class TurnedAway: Sendable {
    private let all = Mutex<Set<String>>([])

    var names: Set<String> { all.withLock { $0 } }

    func tryAll(_ nodes: Set<String>, of path: String) {
        for node in nodes {
            do {
                try NodeLock(databasePath: path, node: node).release()
            } catch SQLiteOpenError.nodeInUse(let name) {
                all.withLock { _ = $0.insert(name) }
            } catch {
                Issue.record(error)
            }
        }
    }
}
