import Bridge
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"), .timeLimit(.minutes(3)))
struct PostgresReadinessTests {
    @Test func `a node that writes and gets no connection to read by is not ready until it gets one`() async throws {
        let server = try await PostgresServer.start()
        let result: Result<Void, any Error>
        do { result = .success(try await Self.checkWithoutReader(on: server)) } catch { result = .failure(error) }
        await server.end()
        try result.get()
    }

    private static func checkWithoutReader(on server: PostgresServer) async throws {
        _ = try server.administrator().run("CREATE ROLE app LOGIN")
        _ = try server.administrator().run("CREATE SCHEMA app AUTHORIZATION app")
        let address = try PostgresAddress("postgres://app@127.0.0.1:\(server.port)/postgres")
        try await PostgresDatabase.with(on: server, at: address) { database in
            let storage = try await database.open(node: "n", readers: 1)
            try await storage.checkWritable()
            // The one that writes stays; no other gets in.
            _ = try server.administrator().run("ALTER ROLE app CONNECTION LIMIT 1")
            _ = try server.administrator().run(
                """
                SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
                WHERE application_name = 'drawbridge reader'
                """)
            let error = await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(error?.cause == .engine(code: "PostgreSQL 53300 (too many connections)"))
            try await storage.append([.sample()])
            _ = try server.administrator().run("ALTER ROLE app CONNECTION LIMIT -1")
            try await database.retrying { try await storage.checkWritable() }
        }
    }
}
