import Bridge
import BridgeHTTP
import BridgeTestSupport
import Testing

@testable import SQLStorage
@testable import drawbridge

/// A server whose clock is not that of the database which it shares with others (ADR-0010).
@Suite struct DatabaseClockTests {
    private static let month = Duration.seconds(31 * 86_400)

    private let fixture: PurgeFixture
    private let theirs = SettableClock(PurgeFixture.noon)
    private let metrics = PrometheusMetrics()
    private var ours: SettableClock { fixture.clock }
    private var lines: JSONLogLines { fixture.lines }

    init() throws { fixture = try PurgeFixture() }

    private func clock() -> DatabaseClock {
        DatabaseClock(metrics: metrics, time: ours.source, logger: lines.logger) { [theirs] in theirs.now }
    }

    private func degraded(_ clock: DatabaseClock) async -> [String] {
        await Readiness(checks: [clock.check], lifetime: .zero).report().degraded
    }

    /// A server that starts now.
    private func service(
        _ storage: any BridgeStorage, _ clock: DatabaseClock, retention: Duration? = nil
    ) -> PurgeService {
        .forTest(
            of: storage, auditRetention: retention, databaseClock: clock, metrics: metrics, time: ours.source,
            logger: lines.logger)
    }

    @Test func `a server that starts with a clock ahead of the database's takes nothing before that one says so`()
        async throws
    {
        let storage = try await fixture.openWithToken()
        ours.set(by: Self.month)
        let service = service(storage, clock())
        try await service.purge()
        for clock in [ours, theirs] { clock.advance(PurgeService.retention) }
        try await service.purge()
        #expect(try await storage.hasToken())
        for clock in [ours, theirs] { clock.advance(.seconds(61)) }
        try await service.purge()
        #expect(try await storage.hasToken() == false, "what is over goes on being removed")
        try await storage.close()
    }

    @Test func `retention cuts nothing that is young by the database's clock, however long a server's is ahead`()
        async throws
    {
        let storage = try await fixture.openAgain()
        ours.set(by: Self.month * 2)
        let service = service(storage, clock(), retention: Self.month)
        for _ in 0..<3 {
            try await service.purge()
            for clock in [ours, theirs] { clock.advance(PurgeClock.patience) }
        }
        #expect(try await storage.firstEvent() == 1)
        for clock in [ours, theirs] { clock.advance(Self.month) }
        try await service.purge()
        #expect(try await storage.firstEvent() == 4)
        try await storage.close()
    }

    @Test(arguments: [(61, "the clock is ahead of the database's"), (-61, "the clock is behind the database's")])
    func `clocks that part degrade and are told once, and that they agree again as well`(
        seconds: Int, told: String
    ) async throws {
        let clock = clock()
        let sample = #"drawbridge_degraded{part="clock"}"#
        _ = try await clock.removalTime()
        #expect(await degraded(clock) == [])
        #expect(metrics.exposition().contains("\(sample) 0"))
        ours.set(by: .seconds(seconds))
        for _ in 0..<2 { _ = try await clock.removalTime() }
        #expect(await degraded(clock) == ["clock"])
        #expect(metrics.exposition().contains("\(sample) 1"))
        #expect(lines.count(of: told) == 1)
        ours.set(by: .seconds(-seconds))
        for _ in 0..<2 { _ = try await clock.removalTime() }
        #expect(await degraded(clock) == [])
        #expect(metrics.exposition().contains("\(sample) 0"))
        #expect(lines.count(of: "the clock agrees with the database's again") == 1)
        #expect(lines.all.count == 2)
    }

    @Test(arguments: [-3600, -60, 0, 60])
    func `a clock that is behind, or within a minute, is the one that counts`(seconds: Int) async throws {
        ours.set(by: .seconds(seconds))
        #expect(try await clock().removalTime() == ours.now)
        #expect(lines.all.count == (seconds < -60 ? 1 : 0))
    }

    @Test func `a database that takes long to answer has no other clock for that`() async throws {
        let clock = DatabaseClock(time: ours.source, logger: lines.logger) { [ours] in
            ours.advance(.seconds(300))
            defer { ours.advance(.seconds(300)) }
            return ours.now
        }
        #expect(try await clock.removalTime() == ours.now)
        #expect(lines.all == [])
    }

    @Test func `while the database does not tell its time nothing is removed`() async throws {
        let storage = try await fixture.openWithToken()
        ours.advance(Self.month)
        let silent = DatabaseClock(time: ours.source, logger: lines.logger) { throw StorageError.unavailable("away") }
        let failure = await #expect(throws: PurgeFailure.self) { try await service(storage, silent).purge() }
        #expect(failure?.description == "everything: storage unavailable")
        #expect(try await storage.hasToken())
        #expect(metrics.exposition().contains(#"drawbridge_degraded{part="purge"} 1"#))
        try await storage.close()
    }
}
