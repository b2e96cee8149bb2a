import BridgeTestSupport
import Testing

@testable import SQLStorage

/// A server and another one that follows it, for one test in which it takes over.
final class PostgresPair: Sendable {
    let old: PostgresServer
    let new: PostgresServer

    private init(_ old: PostgresServer, _ new: PostgresServer) {
        self.old = old
        self.new = new
    }

    /// - Parameter newComesFirst: whether an address names that one before the other; of those that take writes the first
    ///   is chosen.
    static func with(
        newComesFirst: Bool = false, _ body: (PostgresPair, PostgresDatabase) async throws -> Void
    ) async throws {
        let old = try await PostgresServer.start()
        let result: Result<Void, any Error>
        do {
            let new = try await PostgresServer.start(following: old)
            let hosts = (newComesFirst ? [new, old] : [old, new]).map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
            let address = try PostgresAddress("postgres://drawbridge@\(hosts)/postgres")
            do {
                try await PostgresDatabase.with(on: old, at: address) { database in
                    try await body(PostgresPair(old, new), database)
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await new.end()
        } catch {
            await old.end()
            throw error
        }
        await old.end()
        try result.get()
    }

    /// Two that followed the same server and have both taken over, so that they pass for one database. An address names
    /// the old one before the new one, and it is stopped: connections lead to the new one until it is started again.
    static func withTwins(_ body: (PostgresPair, PostgresDatabase) async throws -> Void) async throws {
        let ancestor = try await PostgresServer.start()
        var started = [ancestor]
        let result: Result<Void, any Error>
        do {
            // Both have its tables, and a lease of the node that is opened later.
            let before = try await PostgresStorage.open(
                try ancestor.address(), node: "n", signer: UnsignedCheckpoints(), readers: 1, logger: .silent)
            try await before.close()
            for _ in 0..<2 { started.append(try await PostgresServer.start(following: ancestor)) }
            let pair = PostgresPair(started[1], started[2])
            for server in [pair.old, pair.new] { try await server.promote() }
            try await pair.old.stop("fast")
            let address = try PostgresAddress(
                "postgres://drawbridge@127.0.0.1:\(pair.old.port),127.0.0.1:\(pair.new.port)/postgres")
            try await PostgresDatabase.with(on: pair.new, at: address) { try await body(pair, $0) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for server in started.reversed() { await server.end() }
        try result.get()
    }

    /// The old one crashes when the other has everything, which then takes its place.
    func failOver() async throws {
        try await catchUp()
        try await old.stop("immediate")
        try await new.promote()
    }

    /// Until the new one has everything that the old one has now.
    func catchUp() async throws {
        let observer = try old.administrator()
        let end = try observer.run("SELECT CAST(pg_current_wal_lsn() AS text)").first?.text(0) ?? ""
        try await waiting(for: "replication") {
            try !observer.run(
                "SELECT 1 FROM pg_stat_replication WHERE replay_lsn >= CAST($1 AS pg_lsn)", [.text(end)]
            ).isEmpty
        }
    }

    /// Ends the connections of this name.
    func cut(_ name: String, on server: PostgresServer) throws {
        let ended = try server.administrator().run(
            """
            SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = $1::text
            """, [.text(name)])
        #expect(try ended.first?.integer(0) ?? 0 > 0, "none is called \(name)")
    }

    func waiting(for what: String, _ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("waited in vain: \(what)")
    }
}
