import Bridge
import BridgeHTTP
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import SQLStorage
@testable import drawbridge

/// What a server does again and again, one round at a time and with a clock that stands still.
@Suite struct TimedServicesTests {
    private static let noon = PurgeFixture.noon

    private let folder: TemporaryFolder
    private let storage: DurableStorage
    private let metrics = PrometheusMetrics()
    private let lines = JSONLogLines()
    private let time = TimeSource { noon }

    init() throws {
        folder = try TemporaryFolder()
        storage = try SQLiteStorage.open(
            path: "\(folder.path)/drawbridge.sqlite", node: "test",
            signer: try AuditSigningKey.generate(name: "localhost/test"), time: time)
    }

    private func events(_ type: AuditEventType, _ outcome: AuditEvent.Outcome, _ count: Int) async throws {
        try await storage.append(
            (0..<count).map { _ in AuditEvent(at: Self.noon, type: type, outcome: outcome) })
    }

    @Test func `a purge takes what expired more than an hour ago, however much, and nothing younger`() async throws {
        let service = PurgeService.forTest(of: storage, time: time, logger: lines.logger)
        let old = Self.noon - PurgeService.retention - .milliseconds(1)
        for number in 0...PurgeService.batch {
            try await storage.issueToken(TokenID(rawValue: "old-\(number)"), expiring: old)
        }
        try await storage.issueToken("young", expiring: Self.noon - PurgeService.retention)
        try await service.purge()
        #expect(try await storage.state(of: "old-0") == nil)
        #expect(try await storage.state(of: TokenID(rawValue: "old-\(PurgeService.batch)")) == nil)
        #expect(try await storage.state(of: "young") != nil)
    }

    /// Purges while the server stops.
    private struct LatePurge: Service {
        let purge: PurgeService

        func run() async throws {
            try await gracefulShutdown()
            try await purge.purge()
        }
    }

    private struct EndingService: Service {
        func run() async throws {}
    }

    @Test func `a stop does not wait for a purge, and the next purge takes what is left`() async throws {
        let service = PurgeService.forTest(of: storage, time: time, logger: lines.logger)
        try await storage.issueToken("old", expiring: Self.noon - PurgeService.retention - .milliseconds(1))
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: LatePurge(purge: service), successTerminationBehavior: .ignore),
                    .init(service: EndingService(), successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: lines.logger))
        try await group.run()
        #expect(try await storage.state(of: "old") != nil)
        try await service.purge()
        #expect(try await storage.state(of: "old") == nil)
    }

    @Test func `what cannot be purged is named, and everything else is purged`() async throws {
        let service = PurgeService.forTest(of: storage, metrics: metrics, time: time, logger: lines.logger)
        #expect(metrics.exposition().contains(#"drawbridge_degraded{part="purge"} 0"#))
        let old = Self.noon - PurgeService.retention - .milliseconds(1)
        try await storage.issueToken("old", expiring: old)
        #expect(try await storage.claimUse(digest: "used", madeAfter: Self.noon, until: old))
        let path = "\(folder.path)/drawbridge.sqlite"
        try SQLiteDump.restore(
            "CREATE TRIGGER kept BEFORE DELETE ON login_token_use BEGIN SELECT RAISE(ABORT, 'damaged'); END;",
            to: path)
        let failure = await #expect(throws: PurgeFailure.self) { try await service.purge() }
        #expect(failure?.parts.map(\.name) == ["login tokens"])
        #expect(failure?.description.hasPrefix("login tokens: ") == true)
        #expect(try await storage.claimUse(digest: "used", madeAfter: Self.noon, until: old), "it is forgotten")
        #expect(metrics.exposition().contains(#"drawbridge_degraded{part="purge"} 1"#))
        try SQLiteDump.restore("DROP TRIGGER kept;", to: path)
        try await service.purge()
        #expect(try await storage.state(of: "old") == nil)
        #expect(metrics.exposition().contains(#"drawbridge_degraded{part="purge"} 0"#))
    }

    @Test func `one reason is told once for all that cannot be purged`() {
        let failure = PurgeFailure(parts: [
            .init(name: "a", reason: "away"), .init(name: "b", reason: "damaged"), .init(name: "c", reason: "away"),
        ])
        #expect("\(failure)" == "a, c: away; b: damaged")
        #expect(PurgeFailure.parts(of: failure) == "a, b, c")
    }

    @Test func `a purge leaves the audit log alone where no retention is set`() async throws {
        try await events(.nodeStarted, .success, 3)
        let service = PurgeService.forTest(of: storage, time: time, logger: lines.logger)
        try await service.purge()
        #expect(try await storage.chains().map(\.sequence) == [3])
    }

    @Test func `events are counted once each, by type and outcome`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        try await events(.loginTokenIssued, .success, 2)
        try await events(.loginTokenRefused, .failure, 1)
        while try await service.count() {}
        while try await service.count() {}
        let text = metrics.exposition()
        #expect(text.contains(#"drawbridge_audit_events_total{outcome="success",type="login_token.issued"} 2"#))
        #expect(text.contains(#"drawbridge_audit_events_total{outcome="failure",type="login_token.refused"} 1"#))
    }

    @Test func `a few events that came meanwhile wait for the next round, and a long log does not`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        try await events(.loginTokenIssued, .success, AuditTallyService.batch + 1)
        let (isLong, isLongStill) = (try await service.count(), try await service.count())
        #expect(isLong && !isLongStill)
        let series = #"drawbridge_audit_events_total{outcome="success",type="login_token.issued"}"#
        #expect(metrics.exposition().contains("\(series) \(AuditTallyService.batch + 1)\n"))
    }

    @Test func `a page of metrics has the events up to now, whenever the next round is`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        try await events(.loginTokenRefused, .failure, 1)
        await service.countBriefly()
        let text = metrics.exposition()
        #expect(text.contains(#"drawbridge_audit_events_total{outcome="failure",type="login_token.refused"} 1"#))
    }

    @Test func `every kind of event is counted from 0 on, so that a first burst is a rise`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        service.beginSeries()
        let text = metrics.exposition()
        for type in AuditEventType.all {
            for outcome in ["success", "failure"] {
                let series = #"drawbridge_audit_events_total{outcome="\#(outcome)",type="\#(type.rawValue)"}"#
                #expect(text.contains("\(series) 0\n"))
            }
        }
    }

    @Test func `when the database was found to be an earlier one is a metric of its own`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        while try await service.count() {}
        #expect(!metrics.exposition().contains("drawbridge_database_restored_timestamp_seconds"))
        try await events(.databaseRestored, .success, 1)
        while try await service.count() {}
        #expect(metrics.exposition().contains("\ndrawbridge_database_restored_timestamp_seconds 1795356000"))
    }

    @Test func `living sessions are noted once a minute, at its beginning`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        let minute = try await service.sample(after: 0)
        #expect(minute == Self.noon.milliseconds / 60_000)
        #expect(try await service.sample(after: minute) == minute)
        let samples = try await storage.samples(
            .webSessions, from: Timestamp(seconds: 0), to: Self.noon + .seconds(60))
        #expect(samples.map(\.at) == [Timestamp(milliseconds: minute * 60_000)])
        #expect(samples.map(\.value) == [0])
    }

    @Test func `a clock that was ahead and is set right again leaves no gap in the samples`() async throws {
        let service = AuditTallyService(storage: storage, metrics: metrics, time: time, logger: lines.logger)
        let minute = try await service.sample(after: Self.noon.milliseconds / 60_000 + 525_600)
        #expect(minute == Self.noon.milliseconds / 60_000)
    }

    @Test func `suppressed events are written as one each, and counted`() async throws {
        let refusals = RefusalLog(
            audit: storage, limiter: InProcessRateLimiter(clock: .parameter), ceiling: RefusalCeiling(perSecond: 1))
        for _ in 0..<200 {
            try await refusals.record(AuditEvent(at: Self.noon, type: .loginTokenRefused, outcome: .failure))
        }
        let written = try await storage.chains().first?.sequence ?? 0
        let service = SuppressedEventsService(
            refusals: refusals, metrics: metrics, time: time, logger: lines.logger)
        try await service.write()
        #expect(try await storage.chains().first?.sequence == written + 1)
        #expect(
            metrics.exposition().contains(
                #"drawbridge_audit_events_suppressed_total{type="login_token.refused"} \#(200 - written)"#))
        try await service.write()
        #expect(try await storage.chains().first?.sequence == written + 1, "nothing new to say")
    }

    @Test func `what is lost and what is suppressed is counted from 0 on, so that a first time is a rise`() {
        let refusals = RefusalLog(audit: storage, limiter: InProcessRateLimiter(clock: .parameter))
        SuppressedEventsService(refusals: refusals, metrics: metrics, time: time, logger: lines.logger).beginSeries()
        _ = AuditForwardMetrics(target: "siem", factory: metrics)
        let text = metrics.exposition()
        for type in AuditEventType.all {
            #expect(text.contains(#"drawbridge_audit_events_suppressed_total{type="\#(type.rawValue)"} 0"# + "\n"))
        }
        #expect(text.contains(#"drawbridge_audit_forward_lost_total{target="siem"} 0"# + "\n"))
    }

    @Test func `what is handed over to a receiver of the audit log, and what is lost, is counted once`() {
        let numbers = AuditForwardMetrics(target: "siem", factory: metrics)
        var state = AuditForwardStatus.State()
        (state.delivered, state.failures, state.lost) = (30, 2, 40)
        for _ in 0..<2 { numbers.record(state) }
        let text = metrics.exposition()
        for (name, count) in [("sent", 30), ("failures", 2), ("lost", 40)] {
            #expect(text.contains("drawbridge_audit_forward_\(name)_total{target=\"siem\"} \(count)\n"))
        }
    }

    /// Takes every alert but those of the first tries.
    private final class Receiver: AlertDelivery {
        struct Told: Hashable {
            let rule: AlertRule.Name
            let isOver: Bool
            let node: String
        }

        private let state = Mutex<(refusals: Int, told: [Told], tries: [ContinuousClock.Instant])>((0, [], []))

        init(refusing tries: Int = 0) { state.withLock { $0.refusals = tries } }

        var told: [Told] { state.withLock { $0.told } }

        /// When it was tried.
        var tries: [ContinuousClock.Instant] { state.withLock { $0.tries } }

        func deliver(_ alert: Alert, isOver: Bool, node: String, at now: Timestamp) -> Bool {
            state.withLock { state in
                state.tries.append(.now)
                guard state.refusals == 0 else {
                    state.refusals -= 1
                    return false
                }
                state.told.append(Told(rule: alert.rule.name, isOver: isOver, node: node))
                return true
            }
        }
    }

    private func alerts(_ board: AlertBoard, _ receiver: Receiver?, at now: Timestamp = noon) -> AlertService {
        AlertService(
            board: board, tallies: storage, delivery: receiver, node: "test", time: TimeSource { now },
            logger: lines.logger, pauses: [.milliseconds(20), .milliseconds(100)])
    }

    @Test func `an alert is told when it begins and when it is over, once each`() async throws {
        let board = AlertBoard(rules: [AlertRule(name: .replays, threshold: 2)])
        let receiver = Receiver()
        try await events(.loginTokenReplayed, .failure, 2)
        try await alerts(board, receiver).look()
        #expect(receiver.told.isEmpty, "as many as are allowed")
        try await events(.loginTokenReplayed, .failure, 1)
        for _ in 0..<2 { try await alerts(board, receiver).look() }
        #expect(receiver.told == [.init(rule: .replays, isOver: false, node: "test")])
        for _ in 0..<2 { try await alerts(board, receiver, at: Self.noon + .seconds(700)).look() }
        #expect(receiver.told.map(\.isOver) == [false, true])
        #expect(lines.count(of: #""alert":"replays""#) == 2)
    }

    @Test(arguments: [(2, 0), (3, 1)])
    func `a receiver is tried three times before the log says that it did not take an alert`(
        _ refusals: Int, _ errors: Int
    ) async throws {
        try await events(.loginTokenReplayed, .failure, 3)
        let receiver = Receiver(refusing: refusals)
        try await alerts(AlertBoard(rules: [AlertRule(name: .replays, threshold: 2)]), receiver).look()
        #expect(receiver.told.count == 1 - errors)
        #expect(lines.count(of: "did not take an alert") == errors)
    }

    @Test func `a receiver has a moment to recover between the tries`() async throws {
        try await events(.loginTokenReplayed, .failure, 3)
        let receiver = Receiver(refusing: 2)
        try await alerts(AlertBoard(rules: [AlertRule(name: .replays, threshold: 2)]), receiver).look()
        let tries = receiver.tries
        try #require(tries.count == 3)
        #expect(tries[1] - tries[0] >= .milliseconds(20))
        #expect(tries[2] - tries[1] >= .milliseconds(100))
    }

    @Test(.timeLimit(.minutes(1))) func `that nobody looks for alerts is in the log`() async throws {
        try SQLiteDump.restore("DROP TABLE audit_tally", to: "\(folder.path)/drawbridge.sqlite")
        var service = alerts(AlertBoard(rules: [AlertRule(name: .replays, threshold: 2)]), nil)
        service.interval = .milliseconds(10)
        let work = Task { [service] in try await service.run() }
        while lines.count(of: "could not look for alerts") == 0 { try await Task.sleep(for: .milliseconds(10)) }
        work.cancel()
    }

    @Test func `without a receiver an alert is in the log alone`() async throws {
        try await events(.loginTokenReplayed, .failure, 3)
        try await alerts(AlertBoard(rules: [AlertRule(name: .replays, threshold: 2)]), nil).look()
        #expect(lines.all.count == 1)
    }
}
