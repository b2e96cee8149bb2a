import Bridge
import CoreMetrics
import Logging
import Metrics
import ServiceLifecycle

/// Counts audit events for the console's charts, and notes once a minute how many sessions live.
struct AuditTallyService: Service {
    let storage: any BridgeStorage
    let metrics: any MetricsFactory
    let time: TimeSource
    let logger: Logger

    /// One count for all pages of metrics that are asked for at the same time.
    let countForPage = SingleFlight()

    /// Events counted in one step: a step holds up no request for long.
    static let batch = 5000

    func run() async throws {
        beginSeries()
        var lastMinute: Int64 = 0
        await Recurring(interval: .seconds(2), task: "count audit events", logger: logger).run {
            while try await count(), !Task.isShuttingDownGracefully {}
            lastMinute = try await sample(after: lastMinute)
        }
    }

    /// Makes every series, at 0: of one that its first event makes, Prometheus never sees that event as a rise.
    func beginSeries() {
        for type in AuditEventType.all {
            counter(of: type, .success).increment(by: 0)
            counter(of: type, .failure).increment(by: 0)
        }
    }

    /// - Returns: whether there is so much more that it should not wait for the next round. What came during the step is
    ///   no reason: while requests come there is always some, and each step is a commit of its own.
    func count() async throws -> Bool {
        let counts = try await storage.advanceTally(limit: Self.batch)
        // Those that were not written have a metric of their own (``SuppressedEventsService``).
        for count in counts where count.reason != AuditTally.suppressedReason || count.type == .auditSuppressed {
            counter(of: count.type, count.outcome).increment(by: count.count)
        }
        // Mostly noticed at the start, before anybody could read a 0; and a count starts again with every process.
        if let restored = counts.filter({ $0.type == .databaseRestored }).map(\.at).max() {
            Gauge(label: "drawbridge_database_restored_timestamp_seconds", factory: metrics).record(restored.seconds)
        }
        // Half, because what cannot be read is left out; and an event may say any number of those that were suppressed.
        let counted = counts.reduce(Int64(0)) { $0 + min($1.count, Int64(Self.batch)) }
        return counted >= Int64(Self.batch / 2)
    }

    /// For a page of metrics, so that it has what happened up to now: one batch at most, and no longer than the page
    /// waits. The rest, and what fails, is for the next round.
    func countBriefly() async {
        await MetricsPatience.wait { try? await countForPage.join(or: { _ = try await count() }) }
    }

    private func counter(of type: AuditEventType, _ outcome: AuditEvent.Outcome) -> Counter {
        Counter(
            label: "drawbridge_audit_events_total",
            dimensions: [("type", type.rawValue), ("outcome", outcome.rawValue)], factory: metrics)
    }

    /// - Returns: the minute of the last sample.
    func sample(after last: Int64) async throws -> Int64 {
        let now = time.now()
        let minute = now.milliseconds / 60_000
        // Not "later than": a clock that was ahead for a moment would leave no sample until it is there again.
        guard minute != last else { return last }
        let live = try await storage.countLiveSessions(at: now)
        try await storage.record(
            StateSample(at: Timestamp(milliseconds: minute * 60_000), name: .webSessions, value: live))
        return minute
    }
}

/// Gives the audit log's searches their index while the service answers.
struct AuditSealService: Service {
    let storage: any BridgeStorage
    let time: TimeSource
    let logger: Logger

    /// Between two segments, so that a long log which has none yet gets its own without anybody waiting for it.
    private static let pause = Duration.milliseconds(50)
    /// Rounds from one look at the chains of nodes that may be gone to the next.
    private static let othersEvery = 60

    func run() async throws {
        var rounds = 0
        // Searches read what is not sealed event by event.
        await Recurring(interval: .seconds(1), task: "seal audit events", logger: logger).run {
            // Also after a round that failed: what cannot be sealed of others must not keep it to them.
            defer { rounds += 1 }
            let ofOthers = rounds % Self.othersEvery == 0
            while try await storage.sealAudit(at: time.now(), ofOthers: ofOthers), !Task.isShuttingDownGracefully {
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}

/// Removes old checkpoints that later ones make superfluous.
struct AuditThinningService: Service {
    let storage: any BridgeStorage
    let clock: DatabaseClock
    let logger: Logger

    /// Between two steps, so that the half million checkpoints of a quiet year hold up nobody.
    private static let pause = Duration.milliseconds(50)

    func run() async throws {
        var places: [String: Int64] = [:]
        await Recurring(interval: .seconds(3600), task: "thin audit checkpoints", logger: logger).run {
            let now = try await clock.removalTime()
            while !Task.isShuttingDownGracefully {
                let next = try await storage.thinCheckpoints(from: places, at: now)
                guard next != places else { return }
                places = next
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}

/// Writes down how many events were counted instead of written, and that is all that a flood of them leaves.
struct SuppressedEventsService: Service {
    let refusals: RefusalLog
    let metrics: any MetricsFactory
    let time: TimeSource
    let logger: Logger

    func run() async throws {
        beginSeries()
        await Recurring(interval: .seconds(10), task: "write suppressed events", logger: logger).run(write)
    }

    /// As ``AuditTallyService/beginSeries()``.
    func beginSeries() {
        for type in AuditEventType.all { counter(of: type).increment(by: 0) }
    }

    func write() async throws {
        for (type, count) in try await refusals.writeSuppressed(at: time.now()) {
            counter(of: type).increment(by: count)
        }
    }

    private func counter(of type: AuditEventType) -> Counter {
        Counter(
            label: "drawbridge_audit_events_suppressed_total", dimensions: [("type", type.rawValue)], factory: metrics)
    }
}
