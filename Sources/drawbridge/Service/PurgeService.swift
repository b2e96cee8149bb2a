import Bridge
import CoreMetrics
import Logging
import Metrics
import ServiceLifecycle

/// Removes what expired, for as long as the server runs.
struct PurgeService: Service {
    let storage: any BridgeStorage
    /// How long audit events stay; `nil` keeps them for ever (ADR-0007).
    let auditRetention: Duration?
    let watch: AuditWatch
    let interval: Duration
    let time: TimeSource
    let logger: Logger
    let clock: PurgeClock
    let databaseClock: DatabaseClock
    private let isDegraded: Gauge

    /// Expired tokens and sessions stay this long, so that an app can still ask what became of its token.
    static let retention = Duration.seconds(3600)
    /// Small enough that a purge never delays requests that wait for the writer.
    static let batch = 500
    /// Between two hours of counts, of which an older database may have years.
    private static let pause = Duration.milliseconds(50)

    init(
        storage: any BridgeStorage, auditRetention: Duration?, watch: AuditWatch, databaseClock: DatabaseClock,
        interval: Duration, metrics: any MetricsFactory, time: TimeSource, logger: Logger
    ) {
        self.storage = storage
        self.auditRetention = auditRetention
        self.watch = watch
        self.interval = interval
        self.time = time
        self.logger = logger
        clock = PurgeClock(startingAt: time)
        self.databaseClock = databaseClock
        isDegraded = .degraded("purge", in: metrics)
        isDegraded.record(0)
    }

    func run() async throws {
        await Recurring(interval: interval, task: "purge", logger: logger, outage: PurgeFailure.parts(of:)).run(purge)
    }

    /// Purges once. A server that stops does not finish first: what is left, the next purge takes.
    /// - Throws: ``PurgeFailure`` with what could not be purged, after everything else was.
    func purge() async throws {
        let failures = await purgeAll()
        // Of a purge that was cut short nothing is known.
        guard !Self.isStopping else { return }
        isDegraded.record(failures.isEmpty ? 0 : 1)
        if !failures.isEmpty { throw PurgeFailure(parts: failures) }
    }

    /// - Returns: what could not be purged.
    private func purgeAll() async -> [PurgeFailure.Part] {
        let steps: [Step]
        do {
            steps = self.steps(at: try await now())
        } catch {
            // A database that does not tell its time lets nothing be removed, either.
            return [PurgeFailure.Part(name: "everything", reason: "\(error)")]
        }
        var failures: [PurgeFailure.Part] = []
        for (name, purge) in steps {
            guard !Self.isStopping else { break }
            do {
                try await purge()
            } catch {
                failures.append(PurgeFailure.Part(name: name, reason: "\(error)"))
            }
        }
        return failures
    }

    private typealias Step = (name: String, purge: () async throws -> Void)

    private func steps(at now: Timestamp) -> [Step] {
        let cutoff = now - Self.retention
        func step(_ name: String, _ purge: @escaping (_ limit: Int) async throws -> Int) -> Step {
            (name, { try await inBatches(purge) })
        }
        return [
            step("login tokens") { try await storage.purgeLoginTokens(expiredBefore: cutoff, limit: $0) },
            // Nobody asks what became of these, and anybody can cause them, so they go at once.
            step("pushed requests") { try await storage.purgePushedRequests(expiredBefore: now, limit: $0) },
            step("sign-ins by phone") { try await storage.purgeSelfIssued(expiredBefore: now, limit: $0) },
            step("passkey challenges") { try await storage.purgeChallenges(expiredBefore: now, limit: $0) },
            step("sign-ins across devices") { try await storage.purgeCrossDevices(expiredBefore: now, limit: $0) },
            step("sessions") { try await storage.purgeSessions(expiredBefore: cutoff, limit: $0) },
            step("authorization codes") { try await storage.purgeCodes(expiredBefore: cutoff, limit: $0) },
            step("device codes") { try await storage.purgeDeviceAuthorizations(expiredBefore: cutoff, limit: $0) },
            step("app sessions") { try await storage.purgeAppSessions(expiredBefore: cutoff, limit: $0) },
            step("device secrets") { try await storage.purgeDeviceSecrets(expiredBefore: cutoff, limit: $0) },
            step("revoked tokens") { try await storage.purgeRevokedTokens(expiredBefore: cutoff, limit: $0) },
            step("single uses") { try await storage.purgeUses(expiredBefore: cutoff, limit: $0) },
            ("console sessions", { try await storage.purgeAdminSessions(expiredBefore: cutoff) }),
            ("audit events", { try await purgeAudit(at: now) }),
            ("counts of audit events", { try await purgeTallies(before: now - AuditTally.keptFor) }),
        ]
    }

    private func purgeTallies(before end: Timestamp) async throws {
        var place = Timestamp(milliseconds: .min)
        while !Self.isStopping, let next = try await storage.purgeTallies(from: place, before: end) {
            place = next
            try await Task.sleep(for: Self.pause)
        }
    }

    private func purgeAudit(at now: Timestamp) async throws {
        guard let auditRetention else { return }
        var purge: AuditPurge
        repeat {
            purge = try await storage.purgeAudit(olderThan: auditRetention, at: now)
        } while purge.removed > 0 && !Self.isStopping
        guard watch.note(refusedCuts: purge.refused) else { return }
        for problem in purge.refused {
            logger.error(
                "a part of the audit log that does not verify is kept although it is old",
                metadata: ["id": "\(problem.whereabouts)", "kind": "\(problem.kind.rawValue)"])
        }
    }

    /// One batch after the other, until one is not full.
    private func inBatches(_ purge: (_ limit: Int) async throws -> Int) async throws {
        while !Self.isStopping, try await purge(Self.batch) == Self.batch {}
    }

    private static var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    private func now() async throws -> Timestamp {
        let reading = clock.read(time)
        if let jump = reading.jump {
            logger.error(
                "the clock has jumped ahead: for a day what expires is removed as if it had not",
                metadata: ["seconds": "\(jump.components.seconds)"])
        }
        return min(reading.now, try await databaseClock.removalTime())
    }
}

/// What could not be purged. The rest was.
struct PurgeFailure: Error, CustomStringConvertible {
    struct Part: Hashable, Sendable {
        let name: String
        let reason: String
    }

    let parts: [Part]

    /// A database that is away is one reason for all of them.
    var description: String {
        let reasons = parts.reduce(into: [String]()) { if !$0.contains($1.reason) { $0.append($1.reason) } }
        return reasons.map { reason in
            "\(parts.filter { $0.reason == reason }.map(\.name).joined(separator: ", ")): \(reason)"
        }.joined(separator: "; ")
    }

    /// The names of what could not be purged.
    static func parts(of error: any Error) -> String {
        (error as? PurgeFailure)?.parts.map(\.name).joined(separator: ", ") ?? ""
    }
}
