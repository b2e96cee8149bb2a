import Bridge
import Logging
import ServiceLifecycle
import UnixSignals

/// Removes what expired, for as long as the server runs.
struct PurgeService: Service {
    let storage: any BridgeStorage
    /// How long audit events stay; `nil` keeps them for ever (ADR-0007).
    var auditRetention: Duration?
    var watch = AuditWatch()
    let interval: Duration
    let time: TimeSource
    let logger: Logger
    let clock = PurgeClock()

    /// Expired tokens and sessions stay this long, so that an app can still ask what became of its token.
    static let retention = Duration.seconds(3600)
    /// Small enough that a purge never delays requests that wait for the writer.
    static let batch = 500
    /// Between two hours of counts, of which a database of before may have those of years.
    private static let pause = Duration.milliseconds(50)

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

/// Learns twice a second which sessions other processes ended (contract §7 promises one second).
struct SessionNewsService: Service {
    let sessions: WebSessions
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(500), task: "read ended sessions", logger: logger).run {
            try await sessions.refresh()
        }
    }
}

/// Learns twice a second who is disabled.
struct DisabledUserService: Service {
    let users: DisabledUsers
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(500), task: "read disabled users", logger: logger).run {
            try await users.refresh()
        }
    }
}

/// Learns twice a second, and when the bell rings, which signing keys other processes added or retired, and says which
/// ones this node has.
struct KeyNewsService: Service {
    let keys: SigningKeys
    /// Rung where another server says that it changed the keys.
    let bell: NoticeBell
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(500), task: "read signing keys", logger: logger).run(wokenBy: bell) {
            try await keys.refresh()
        }
    }
}

/// Hears at once which sessions other servers ended, and that they changed the keys.
struct RevocationService: Service {
    let channel: any RevocationChannel
    let sessions: WebSessions
    /// Wakes whoever reads the keys.
    let keyNews: NoticeBell

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await channel.listen { news in
                sessions.take(news)
                guard news == .keysChanged || news == .gap else { return }
                // What is lost here, the poll finds.
                keyNews.ring()
            }
        }
    }
}

/// The first step of a stop, before a listener closes.
struct StopGate: Service {
    let close: @Sendable () -> Void

    func run() async throws {
        try? await gracefulShutdown()
        close()
    }
}

/// Runs an action for each SIGHUP.
struct ReloadService: Service {
    let signals: UnixSignalsSequence
    let reload: @Sendable () async -> Void

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }
}

/// Learns every 750 ms which clients another node, or a command, has changed.
struct ClientNewsService: Service {
    let clients: ClientReloader
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(750), task: "read clients", logger: logger).run {
            try await clients.reloadStored()
        }
    }
}
