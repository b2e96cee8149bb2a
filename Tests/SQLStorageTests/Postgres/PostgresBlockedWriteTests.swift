import Bridge
import BridgeTestSupport
import StorageConformance
import Synchronization
import Testing

@testable import SQLStorage

/// Writes of one batch, some of which want a row that somebody else's transaction holds on to.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresBlockedWriteTests {
    private static let change: SQLStatement = "UPDATE app_user SET first_seen_at = first_seen_at + 1 WHERE subject = $1"

    /// Has these writes in one batch while another connection holds alice's row.
    /// - Returns: whether each was made, and the reasons of the events that were.
    private static func outcome(
        of writes: [(reason: String, isBlocked: Bool)], time: TimeSource = .system
    ) async throws -> (made: [Bool], reasons: [String?]) {
        var outcome: (made: [Bool], reasons: [String?]) = ([], [])
        try await PostgresDatabase.with { database in
            let owner = try await database.open(node: "owner")
            try await owner.addUser("alice", at: Timestamp(milliseconds: 1))
            let holder = try database.session()
            try holder.begin()
            _ = try holder.run(Self.change, [.text("alice")])
            let engine = PostgresEngine(
                address: database.address, node: "n", readers: 1,
                timeouts: PostgresTimeouts(
                    statement: .seconds(5), lock: .milliseconds(100), connect: .seconds(2)),
                logger: .silent)
            let auditor = AuditChainWriter(node: "n", signer: UnsignedCheckpoints(), time: time, logger: .silent)
            let storage = DurableStorage(engine: engine, auditor: auditor, time: time)
            let results: [Result<Void, any Error>] = try await storage.inOneBatch(
                writes.map { write in
                    {
                        try await storage.write { transaction in
                            if write.isBlocked { _ = try transaction.change(Self.change, [.text("alice")]) }
                            try transaction.record(.sample(reason: write.reason))
                        }
                    }
                })
            holder.rollback()
            try await storage.close()
            outcome.made = results.map { result in (try? result.get()) != nil }
            outcome.reasons = try await owner.reasons(of: "n")
        }
        return outcome
    }

    @Test func `a row that another holds for too long fails the write that wants it alone`() async throws {
        let outcome = try await Self.outcome(of: [("a", false), ("b", true), ("c", false)])
        #expect(outcome.made == [true, false, true])
        #expect(outcome.reasons == ["a", "c"])
    }

    @Test func `once such writes have cost three seconds those behind them are given up with them`() async throws {
        let readings = Mutex(0)
        let start = ContinuousClock.now
        // Each look at the clock is a second after the one before.
        let time = TimeSource(
            { Timestamp(milliseconds: 1) },
            uptime: {
                let seconds = readings.withLock { count in
                    count += 1
                    return count
                }
                return start.advanced(by: .seconds(seconds))
            })
        let outcome = try await Self.outcome(
            of: [("a", true), ("b", false), ("c", true), ("d", true), ("e", false)], time: time)
        #expect(outcome.made == [false, true, false, false, false])
        #expect(outcome.reasons == ["b"])
    }
}
