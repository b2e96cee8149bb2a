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

    /// Events counted in one step: a step holds up no request for long.
    private static let batch = 5000

    func run() async throws {
        var isFailing = false
        var lastMinute: Int64 = 0
        for await _ in AsyncTimer(every: .seconds(2)).cancelOnGracefulShutdown() {
            do {
                while try await count() {}
                lastMinute = try await sample(after: lastMinute)
                isFailing = false
            } catch {
                // Once an outage, not at every try.
                if !isFailing { logger.warning("could not count audit events", metadata: ["error": "\(error)"]) }
                isFailing = true
            }
        }
    }

    /// - Returns: whether there may be more.
    private func count() async throws -> Bool {
        let counts = try await storage.advanceTally(limit: Self.batch)
        for count in counts {
            Counter(
                label: "drawbridge_audit_events_total",
                dimensions: [("type", count.type.rawValue), ("outcome", count.outcome.rawValue)], factory: metrics
            ).increment(by: count.count)
        }
        return !counts.isEmpty
    }

    /// - Returns: the minute of the last sample.
    private func sample(after last: Int64) async throws -> Int64 {
        let now = time.now()
        let minute = now.milliseconds / 60_000
        guard minute > last else { return last }
        let live = try await storage.countLiveSessions(at: now)
        try await storage.record(
            StateSample(at: Timestamp(milliseconds: minute * 60_000), name: .webSessions, value: live))
        return minute
    }
}

/// Gives the audit log's searches their index, beside the traffic.
struct AuditSealService: Service {
    let storage: any BridgeStorage
    let time: TimeSource
    let logger: Logger

    /// Between two segments, so that a long log which has none yet gets its own without anybody waiting for it.
    private static let pause = Duration.milliseconds(50)
    /// Seconds between two looks at the chains of nodes that may be gone.
    private static let othersEvery = 60

    func run() async throws {
        var isFailing = false
        var seconds = 0
        for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                let ofOthers = seconds % Self.othersEvery == 0
                while try await storage.sealAudit(at: time.now(), ofOthers: ofOthers), !Task.isShuttingDownGracefully {
                    try await Task.sleep(for: Self.pause)
                }
                seconds += 1
                isFailing = false
            } catch {
                // Once an outage, not at every try. Searches read what is not sealed event by event.
                if !isFailing { logger.warning("could not seal audit events", metadata: ["error": "\(error)"]) }
                isFailing = true
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
        var isFailing = false
        for await _ in AsyncTimer(every: .seconds(10)).cancelOnGracefulShutdown() {
            do {
                try await write()
                isFailing = false
            } catch {
                if !isFailing { logger.warning("could not write suppressed events", metadata: ["error": "\(error)"]) }
                isFailing = true
            }
        }
    }

    func write() async throws {
        for (type, count) in try await refusals.writeSuppressed(at: time.now()) {
            Counter(
                label: "drawbridge_audit_events_suppressed_total", dimensions: [("type", type.rawValue)],
                factory: metrics
            ).increment(by: count)
        }
    }
}

/// Learns once a second which clients another node, or a command, has changed.
struct ClientNewsService: Service {
    let clients: ClientReloader
    let logger: Logger

    func run() async throws {
        var isFailing = false
        for await _ in AsyncTimer(every: .milliseconds(750)).cancelOnGracefulShutdown() {
            do {
                try await clients.reloadStored()
                isFailing = false
            } catch {
                if !isFailing { logger.warning("could not read clients", metadata: ["error": "\(error)"]) }
                isFailing = true
            }
        }
    }
}
