import Bridge
import Synchronization
import Testing

@testable import SQLStorage

/// A connection that ends while statements of several writes are under way on it.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresAnticipationTests {
    @Test func `a connection cut before what was sent ahead is answered costs its callers nothing`() async throws {
        try await PostgresDatabase.with { database in
            let (storage, log) = try await Self.open(database)
            let visits = (0..<4).map { Visit(name: "t\($0)") }
            try await storage.issue(visits)
            log.clear()
            log.interrupt { Self.cutWriter(of: database) }
            let outcomes = try await storage.inOneBatch(visits.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes.values() == visits.map { _ in .opened })
            #expect(log.entries.ahead == [12, 12])
            let reasons = try await storage.reasons(of: "ahead")
            #expect(reasons == visits.map(\.name) + visits.map(\.name))
        }
    }

    @Test func `a commit of unknown outcome is not run again, whatever was sent ahead`() async throws {
        try await PostgresDatabase.with { database in
            let (storage, log) = try await Self.open(database)
            let visit = Visit(name: "t")
            try await storage.issue([visit])
            try database.hangUpAtCommit(ofRowsIn: "web_session")
            log.clear()
            let error = await #expect(throws: StorageError.self) { try await storage.redeem(visit) }
            guard case .undecided(let text) = error else {
                Issue.record("wanted undecided, got \(String(reflecting: error))")
                return
            }
            #expect(text.contains("may have been made or not"))
            #expect(log.entries.ahead == [3])
        }
    }

    @Test func `more statements than go at a time are all answered in order`() async throws {
        try await PostgresDatabase.with { database in
            let session = try database.session()
            let calls = (0..<1300).map { SQLCall("SELECT CAST($1 AS BIGINT)", [.integer($0)]) }
            #expect(try session.runAll(calls).map(\.rows) == (0..<1300).map { [SQLRow(values: [.integer($0)])] })
        }
    }

    private static func open(_ database: PostgresDatabase) async throws -> (DurableStorage, WriterLog) {
        let log = WriterLog()
        let storage = DurableStorage(
            engine: RemoteEngine(engine: try await database.open(node: "ahead").engine, log: log),
            auditor: .sample(node: "ahead"), time: .system)
        return (storage, log)
    }

    private static func cutWriter(of database: PostgresDatabase) {
        do { try database.cutWriter(of: "ahead") } catch { Issue.record(error) }
    }
}
