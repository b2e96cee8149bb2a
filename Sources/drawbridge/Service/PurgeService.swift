import Bridge
import Logging
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

    /// Expired tokens and sessions stay this long, so that an app can still ask what became of its token.
    static let retention = Duration.seconds(3600)
    /// Small enough that a purge never delays requests that wait for the writer.
    static let batch = 500
    /// Between two hours of counts, of which an older database may have years.
    private static let pause = Duration.milliseconds(50)

    init(
        storage: any BridgeStorage, auditRetention: Duration? = nil, watch: AuditWatch = AuditWatch(),
        interval: Duration, time: TimeSource, logger: Logger
    ) {
        self.storage = storage
        self.auditRetention = auditRetention
        self.watch = watch
        self.interval = interval
        self.time = time
        self.logger = logger
        clock = PurgeClock(startingAt: time)
    }

    func run() async throws {
        await Recurring(interval: interval, task: "purge", logger: logger).run(purge)
    }

    /// Purges once. A server that stops does not finish first: what is left, the next purge takes.
    func purge() async throws {
        let now = now()
        let cutoff = now - Self.retention
        try await inBatches { try await storage.purgeLoginTokens(expiredBefore: cutoff, limit: $0) }
        // Nobody asks what became of these, and anybody can cause them, so they go at once.
        try await inBatches { try await storage.purgePushedRequests(expiredBefore: now, limit: $0) }
        try await inBatches { try await storage.purgeSelfIssued(expiredBefore: now, limit: $0) }
        try await inBatches { try await storage.purgeChallenges(expiredBefore: now, limit: $0) }
        try await inBatches { try await storage.purgeCrossDevices(expiredBefore: now, limit: $0) }
        try await inBatches { try await storage.purgeSessions(expiredBefore: cutoff, limit: $0) }
        try await inBatches { try await storage.purgeCodes(expiredBefore: cutoff, limit: $0) }
        try await inBatches { try await storage.purgeDeviceAuthorizations(expiredBefore: cutoff, limit: $0) }
        try await inBatches { try await storage.purgeAppSessions(expiredBefore: cutoff, limit: $0) }
        try await inBatches { try await storage.purgeDeviceSecrets(expiredBefore: cutoff, limit: $0) }
        try await inBatches { try await storage.purgeRevokedTokens(expiredBefore: cutoff, limit: $0) }
        try await inBatches { try await storage.purgeUses(expiredBefore: cutoff, limit: $0) }
        guard !Self.isStopping else { return }
        try await storage.purgeAdminSessions(expiredBefore: cutoff)
        try await purgeAudit(at: now)
        var place = Timestamp(milliseconds: .min)
        while !Self.isStopping,
            let next = try await storage.purgeTallies(from: place, before: now - AuditTally.keptFor)
        {
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

    private func now() -> Timestamp {
        let reading = clock.read(time)
        if let jump = reading.jump {
            logger.error(
                "the clock has jumped ahead: for a day what expires is removed as if it had not",
                metadata: ["seconds": "\(jump.components.seconds)"])
        }
        return reading.now
    }
}
