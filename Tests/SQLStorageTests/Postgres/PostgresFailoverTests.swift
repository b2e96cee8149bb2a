import Bridge
import BridgeTestSupport
import Testing

@testable import SQLStorage

/// After a failover the old primary may run again. It answers whoever comes, and knows nothing of what has ended since.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"), .timeLimit(.minutes(3)))
struct PostgresFailoverTests {
    @Test func `what a reading connection is asked that comes to the old primary is refused`() async throws {
        try await PostgresPair.with { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            try await Self.failOver(pair, database, storage)
            try await pair.old.startAgain()
            try pair.cut("drawbridge reader", on: pair.new)
            let error = await #expect(throws: StorageError.self) { try await storage.chains() }
            #expect(error?.cause == .otherServer)
            // What is written goes where it went before.
            try await storage.append([.sample(reason: "meanwhile")])
            try await pair.old.stop("immediate")
            try await database.retrying { _ = try await storage.chains() }
            #expect(try await Self.reasons(storage).isSuperset(of: ["before", "after", "meanwhile"]))
        }
    }

    @Test func `a node whose connections lead to two servers is not ready`() async throws {
        try await PostgresPair.with { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            try await Self.failOver(pair, database, storage)
            try await storage.checkWritable()
            try await pair.old.startAgain()
            try pair.cut("drawbridge reader", on: pair.new)
            await #expect(throws: StorageError.self) { try await storage.chains() }
            let error = await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(error?.cause == .otherServer)
        }
    }

    @Test func `a reading connection of before is asked again once the writer has moved`() async throws {
        try await PostgresPair.with(newComesFirst: true) { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            try await storage.append([.sample(reason: "before")])
            #expect(try await Self.reasons(storage) == ["before"])
            try await pair.catchUp()
            // Nobody has stopped the old one, and the reader is connected to it.
            try await pair.new.promote()
            try pair.cut("drawbridge writer n", on: pair.old)
            try await database.retrying { try await storage.append([.sample(reason: "after")]) }
            #expect(try await Self.reasons(storage).isSuperset(of: ["before", "after"]))
        }
    }

    @Test func `a node that writes nothing finds out by its lease that its writer has moved`() async throws {
        try await PostgresPair.with(newComesFirst: true) { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            try await storage.append([.sample(reason: "before")])
            #expect(try await Self.reasons(storage) == ["before"])
            try await pair.catchUp()
            try await pair.new.promote()
            try pair.cut("drawbridge writer n", on: pair.old)
            _ = try pair.new.administrator().run(
                "INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ('late', 'i', 1)")
            try await pair.waiting(for: "what another node writes") {
                let rows = try? await storage.read { try $0.run("SELECT 1 FROM app_user WHERE subject = 'late'") }
                return rows?.isEmpty == false
            }
        }
    }

    @Test func `a writer that comes to the old primary writes nothing there`() async throws {
        try await PostgresPair.with { pair, database in
            let lines = LogLines()
            let storage = try await database.open(node: "n", readers: 1, logger: lines.logger)
            try await Self.failOver(pair, database, storage)
            try await pair.old.startAgain()
            try pair.cut("drawbridge writer n", on: pair.new)
            await #expect(throws: StorageError.self) { try await storage.append([.sample(reason: "lost")]) }
            await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(lines.complaints.contains { $0.hasPrefix("a connection leads to another database server") })
            let rows = try pair.old.administrator().run("SELECT reason FROM audit_event ORDER BY sequence")
            #expect(rows.map(\.values) == [[.text("before")]])
            try await pair.old.stop("immediate")
            try await database.retrying { try await storage.append([.sample(reason: "end")]) }
            let reasons = try await Self.reasons(storage)
            #expect(reasons.isSuperset(of: ["before", "after", "end"]) && !reasons.contains("lost"))
        }
    }

    @Test func `what a reading connection is asked that comes to a second successor is refused`() async throws {
        try await PostgresPair.withTwins { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            try await storage.append([.sample(reason: "before")])
            #expect(try await Self.reasons(storage).contains("before"))
            try await pair.old.startAgain()
            try pair.cut("drawbridge reader", on: pair.new)
            let error = await #expect(throws: StorageError.self) { try await storage.chains() }
            #expect(error?.cause == .otherServer)
            await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            try await pair.old.stop("immediate")
            try await database.retrying { _ = try await storage.chains() }
            #expect(try await Self.reasons(storage).contains("before"))
        }
    }

    @Test func `connections follow a writer that has come to a second successor`() async throws {
        try await PostgresPair.withTwins { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            try await storage.append([.sample(reason: "before")])
            #expect(try await Self.reasons(storage).contains("before"))
            try await pair.old.startAgain()
            // The one that reads stays where it is.
            try pair.cut("drawbridge writer n", on: pair.new)
            try await database.retrying { try await storage.append([.sample(reason: "after")]) }
            #expect(try await Self.reasons(storage).contains("after"))
        }
    }

    @Test func `a listener hears nothing of the old primary`() async throws {
        try await PostgresPair.with { pair, database in
            let storage = try await database.open(node: "n", readers: 1)
            let channel = PostgresRevocationChannel(database.address, beside: storage, logger: .silent)
            let listener = Task { await channel.listen { _ in } }
            try await database.untilListening()
            try await Self.failOver(pair, database, storage)
            try await database.untilListening()
            try await pair.old.startAgain()
            try pair.cut("drawbridge listener", on: pair.new)
            try await pair.waiting(for: "word of it") {
                do { try await storage.checkWritable() } catch { return true }
                return false
            }
            let listening = try pair.old.administrator().run(
                "SELECT 1 FROM pg_stat_activity WHERE application_name = 'drawbridge listener' AND query LIKE 'LISTEN%'"
            )
            #expect(listening.isEmpty)
            try await pair.old.stop("immediate")
            try await database.untilListening()
            listener.cancel()
            await listener.value
        }
    }

    @Test func `a command that reads does not read two servers`() async throws {
        try await PostgresPair.with { pair, database in
            let storage = try await database.open(node: "n")
            try await Self.failOver(pair, database, storage)
            let command = try await PostgresStorage.openForReading(database.address, readers: 1, logger: .silent)
            try await pair.old.startAgain()
            let error = await #expect(throws: StorageError.self) { try await command.chains() }
            #expect(error?.cause == .otherServer)
            try await command.close()
        }
    }

    /// As at a provider of databases.
    @Test func `where a server tells only when it was started, a restart is got over without a write`() async throws {
        let server = try await PostgresServer.start()
        let administrator = try server.administrator()
        _ = try administrator.run("CREATE ROLE app LOGIN")
        _ = try administrator.run("CREATE SCHEMA app AUTHORIZATION app")
        _ = try administrator.run("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
        let address = try PostgresAddress("postgres://app@127.0.0.1:\(server.port)/postgres")
        try await PostgresDatabase.with(on: server, at: address) { database in
            let storage = try await database.open(node: "n", readers: 1)
            try await storage.append([.sample(reason: "before")])
            #expect(try await Self.reasons(storage) == ["before"])
            try await server.restart("fast")
            try await database.retrying { _ = try await storage.chains() }
            try await storage.checkWritable()
        }
        await server.end()
    }

    /// One event before it, one after, and a reading connection to each server in turn.
    private static func failOver(
        _ pair: PostgresPair, _ database: PostgresDatabase, _ storage: DurableStorage
    ) async throws {
        try await storage.append([.sample(reason: "before")])
        _ = try await storage.chains()
        try await pair.failOver()
        try await database.retrying { try await storage.append([.sample(reason: "after")]) }
        try await database.retrying { _ = try await storage.chains() }
    }

    private static func reasons(_ storage: DurableStorage) async throws -> Set<String?> {
        Set(try await storage.reasons(of: "n"))
    }
}
