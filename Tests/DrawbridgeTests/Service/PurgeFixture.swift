import Bridge
import BridgeHTTP
import BridgeTestSupport
import Logging

@testable import SQLStorage
@testable import drawbridge

/// A database with something to remove for good, and the clock of the server that removes it.
struct PurgeFixture {
    static let noon = Timestamp(seconds: 1_795_356_000)

    /// The server's, at noon.
    let clock = SettableClock(PurgeFixture.noon)
    let lines = JSONLogLines()
    private let folder: TemporaryFolder
    private let key: AuditSigningKey

    init() throws {
        folder = try TemporaryFolder()
        key = try AuditSigningKey.generate(name: "localhost/test")
    }

    private func open() throws -> DurableStorage {
        try SQLiteStorage.open(
            path: "\(folder.path)/drawbridge.sqlite", node: "test", signer: key, time: clock.source)
    }

    /// A database with a login token that ends a minute after noon.
    func openWithToken() async throws -> DurableStorage {
        let storage = try open()
        try await storage.issueToken("t", expiring: Self.noon + .seconds(60))
        return storage
    }

    /// A database that is opened for the second time: its log has three events of the first, and two of this.
    func openAgain() async throws -> DurableStorage {
        let event = AuditEvent(at: Self.noon, type: .nodeStarted, outcome: .success)
        let before = try open()
        try await before.append([event, event, event])
        try await before.close()
        let storage = try open()
        try await storage.append([event, event])
        return storage
    }
}

extension PurgeService {
    /// One that purges when the test does.
    static func forTest(
        of storage: any BridgeStorage, auditRetention: Duration? = nil, databaseClock: DatabaseClock? = nil,
        metrics: PrometheusMetrics = PrometheusMetrics(), time: TimeSource, logger: Logger
    ) -> PurgeService {
        PurgeService(
            storage: storage, auditRetention: auditRetention, watch: AuditWatch(),
            databaseClock: databaseClock ?? DatabaseClock(of: storage, time: time, logger: logger),
            interval: .seconds(60), metrics: metrics, time: time, logger: logger)
    }
}

extension DurableStorage {
    /// Records the issue of a login token that lasts a minute.
    func issueToken(_ id: TokenID, expiring expiry: Timestamp) async throws {
        _ = try await recordIssue(
            IssuedLoginToken(
                id: id, subject: "alice", clientID: "app", issuedAt: expiry - .seconds(60), expiresAt: expiry),
            scope: nil, namedFirstBy: nil, idempotency: nil,
            event: AuditEvent(at: PurgeFixture.noon, type: .loginTokenIssued, outcome: .success))
    }

    /// Whether the token of ``PurgeFixture/openWithToken()`` is still known.
    func hasToken() async throws -> Bool { try await state(of: "t") != nil }

    /// The number of the oldest event that retention has left.
    func firstEvent() async throws -> Int64? { try await entries(of: "test", in: 1...100, limit: 1).first?.sequence }
}
