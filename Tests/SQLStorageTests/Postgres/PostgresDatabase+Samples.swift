import Bridge
import Foundation
import StorageConformance
import Testing

@testable import SQLStorage

extension PostgresDatabase {
    private static let impatient = PostgresTimeouts(
        statement: .seconds(2), lock: .seconds(2), connect: .seconds(30))

    /// A writer that gives up early, and not when the machine is slow.
    func impatientWriter(node: String) -> GroupCommitWriter {
        let engine = PostgresEngine(
            address: address, node: node, readers: 0, timeouts: Self.impatient, logger: .silent)
        return GroupCommitWriter(engine: engine, auditor: .sample(node: node))
    }

    /// Waits until a transaction waits for another one's lock, with a statement about a table.
    func untilSomebodyWaits(for table: String = "app_user") async throws {
        try await until(
            SQLStatement(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(table)%'"))
    }

    /// Waits until a process that wants a node's name has found it taken.
    /// - Parameter start: after which it has, in microseconds of the server's clock.
    func untilFoundTaken(_ node: String, since start: Int64) async throws {
        try await until(
            SQLStatement(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE application_name = 'drawbridge writer \(node)' AND query = 'ROLLBACK' AND state = 'idle'
                    AND extract(epoch FROM query_start) * 1000000 > \(start)
                """))
    }

    /// Waits until a node hears of ended sessions.
    func untilListening() async throws {
        try await until(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE application_name = 'drawbridge listener' AND query LIKE 'LISTEN%' AND state = 'idle'
            """)
    }

    private func until(_ count: SQLStatement) async throws {
        let observer = try session()
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if try observer.run(count).first?.integer(0) ?? 0 > 0 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("waited in vain: \(count.text)")
    }

    /// Does what a client does that was told to come back.
    func retrying(_ body: () async throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            do { return try await body() } catch StorageError.unavailable {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        Issue.record("still unavailable")
    }
}

extension DurableStorage {
    /// Redeems a token for a session, both named after it.
    func redeemSample(_ name: String) async throws -> LoginTokenRedeemOutcome {
        let now = Timestamp(milliseconds: 1_763_708_400_123)
        let token = IssuedLoginToken(
            id: TokenID(rawValue: name), subject: "alice", clientID: "app", issuedAt: now, expiresAt: now + .seconds(60)
        )
        let session = WebSession(
            id: SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)", subject: "alice",
            clientID: "web", appClientID: "app", parentID: nil, loginTokenID: token.id, opening: .loginToken,
            authentication: Authentication(), createdAt: now, expiresAt: now + .seconds(3600),
            idleLifetime: .seconds(600), lastSeenAt: now)
        let use = LoginTokenUse(at: now, sessionID: session.id, address: nil, userAgentDigest: nil)
        return try await redeem(
            token, opening: session, use: use, replacing: [], events: [.sample(.loginTokenRedeemed, reason: name)])
    }

    /// The reasons of a node's events in order, after a look at the whole chain.
    func reasons(of node: String) async throws -> [String?] {
        try await expectIntactChain(of: node)
        return try await records(of: node, in: 1...Int64.max, limit: 100_000).map(\.event.reason)
    }

    func expectIntactChain(of node: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let records = try await records(of: node, in: 1...Int64.max, limit: 100_000)
        #expect(records.map(\.sequence) == records.indices.map { Int64($0 + 1) }, sourceLocation: sourceLocation)
        let links = [AuditRecord.genesis] + records.map(\.hash).dropLast()
        #expect(records.map(\.previousHash) == links, sourceLocation: sourceLocation)
        #expect(records.allSatisfy { $0.isIntact }, sourceLocation: sourceLocation)
    }
}
