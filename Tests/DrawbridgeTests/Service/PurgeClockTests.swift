import Bridge
import BridgeTestSupport
import Testing

@testable import SQLStorage
@testable import drawbridge

/// Somebody sets the wall clock while a server runs that removes things for good.
@Suite struct PurgeClockTests {
    private static let noon = PurgeFixture.noon
    private static let year = Duration.seconds(365 * 86_400)

    private let fixture: PurgeFixture
    private var clocks: SettableClock { fixture.clock }
    private var lines: JSONLogLines { fixture.lines }

    init() throws { fixture = try PurgeFixture() }

    private func service(_ storage: any BridgeStorage, retention: Duration? = nil) -> PurgeService {
        .forTest(of: storage, auditRetention: retention, time: clocks.source, logger: lines.logger)
    }

    @Test func `a clock that jumps ahead takes nothing before its time has gone by`() async throws {
        let storage = try await fixture.openWithToken()
        let service = service(storage)
        try await service.purge()
        clocks.set(by: Self.year)
        for _ in 0..<2 { try await service.purge() }
        #expect(try await storage.hasToken())
        #expect(lines.count(of: "the clock has jumped ahead") == 1)
        clocks.advance(PurgeService.retention + .seconds(61))
        try await service.purge()
        #expect(try await storage.hasToken() == false, "what is over goes on being removed")
        try await storage.close()
    }

    @Test func `a clock that is set between the start and the first purge takes nothing before its time, either`()
        async throws
    {
        let storage = try await fixture.openWithToken()
        let service = service(storage)
        clocks.advance(.seconds(5))
        clocks.set(by: .seconds(7200))
        try await service.purge()
        #expect(try await storage.hasToken())
        #expect(lines.count(of: "the clock has jumped ahead") == 1)
        try await storage.close()
    }

    @Test func `retention cuts nothing for a day after the clock has jumped ahead`() async throws {
        let storage = try await fixture.openAgain()
        let service = service(storage, retention: Self.year)
        try await service.purge()
        clocks.set(by: Self.year * 2)
        try await service.purge()
        clocks.advance(PurgeClock.patience - .seconds(1))
        try await service.purge()
        #expect(try await storage.firstEvent() == 1)
        clocks.advance(.seconds(1))
        try await service.purge()
        #expect(try await storage.firstEvent() == 4)
        try await storage.close()
    }

    @Test func `a clock that is set right, or back, counts at once`() {
        let clock = PurgeClock(startingAt: clocks.source)
        _ = clock.read(clocks.source)
        clocks.set(by: .seconds(3600))
        #expect(clock.read(clocks.source) == PurgeClock.Reading(now: Self.noon, jump: .seconds(3600)))
        clocks.set(by: .seconds(-3600))
        #expect(clock.read(clocks.source) == PurgeClock.Reading(now: Self.noon))
        clocks.set(by: .seconds(-3600))
        #expect(clock.read(clocks.source) == PurgeClock.Reading(now: Self.noon - .seconds(3600)))
    }

    @Test func `a clock that is set back takes from what it gained last, and then from what is believed`() {
        let clock = PurgeClock(startingAt: clocks.source)
        _ = clock.read(clocks.source)
        for gain in [600, 3600] {
            clocks.set(by: .seconds(gain))
            #expect(clock.read(clocks.source) == PurgeClock.Reading(now: Self.noon, jump: .seconds(gain)))
        }
        clocks.set(by: .seconds(-3900))
        #expect(clock.read(clocks.source) == PurgeClock.Reading(now: Self.noon))
        clocks.advance(PurgeClock.patience)
        #expect(clock.read(clocks.source).now == Self.noon + PurgeClock.patience + .seconds(300))
        clocks.set(by: .seconds(-900))
        #expect(clock.read(clocks.source).now == Self.noon + PurgeClock.patience - .seconds(600))
    }

    @Test func `a clock that is kept right is believed, whatever it gains by and by`() {
        let clock = PurgeClock(startingAt: clocks.source)
        for _ in 0..<100 {
            #expect(clock.read(clocks.source) == PurgeClock.Reading(now: clocks.now))
            clocks.advance(.seconds(60))
            clocks.set(by: .seconds(59))
        }
    }

    @Test func `a machine that is paused again and again catches up with each pause a day after it`() {
        let clock = PurgeClock(startingAt: clocks.source)
        for hours in 0..<100 {
            let caughtUp = 300 * max(0, hours - 24)
            #expect(clock.read(clocks.source).now == Self.noon + .seconds(3600 * hours + caughtUp))
            clocks.advance(.seconds(3600))
            clocks.set(by: .seconds(300))
        }
    }
}
