import Bridge
import BridgeHTTP
import CoreMetrics
import Logging
import Synchronization

/// How this machine's clock stands to the database's, where nodes share one (ADR-0010).
///
/// A server that starts has no reason to doubt its own clock. One that is a month ahead would take every node's sessions
/// for expired, and have retention cut the log of them all, with signatures that are good. The database is asked anyway.
final class DatabaseClock: Sendable {
    /// More than clocks differ that are being kept right.
    static let tolerance = TimeSource.databaseTolerance

    /// How two clocks stand to each other.
    private enum Standing { case agrees, ahead, behind }

    private let ask: @Sendable () async throws -> Timestamp?
    private let time: TimeSource
    private let logger: Logger
    private let isDegraded: Gauge
    private let standing = Mutex(Standing.agrees)

    /// - Parameter ask: what time the database has; `nil` where it has no clock but ours.
    init(
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, time: TimeSource, logger: Logger,
        asking ask: @escaping @Sendable () async throws -> Timestamp?
    ) {
        self.ask = ask
        self.time = time
        self.logger = logger
        isDegraded = .degraded("clock", in: metrics)
        isDegraded.record(0)
    }

    /// What time it is for what is removed for good: that of our clock, or of the database's where that is earlier by more
    /// than it may be. Tells the log when the clocks part, and when they agree again.
    /// - Throws: ``StorageError`` while the database does not answer, and so nobody knows.
    func removalTime() async throws -> Timestamp {
        guard let lead = try await time.lead(over: ask) else { return time.now() }
        note(lead)
        return lead > Self.tolerance ? time.now() - lead : time.now()
    }

    /// Optional: the database decides what counts once, whatever a clock says.
    var check: Readiness.Check {
        Readiness.Check("clock", isOptional: true) { [self] in
            guard standing.withLock({ $0 == .agrees }) else {
                throw StorageError.unavailable("the clock is not that of the database")
            }
        }
    }

    /// - Parameter lead: by how much ours is ahead; less than nothing where it is behind.
    private func note(_ lead: Duration) {
        let now: Standing =
            if lead > Self.tolerance {
                .ahead
            } else if lead + Self.tolerance < .zero {
                .behind
            } else {
                .agrees
            }
        let isNews = standing.withLock { standing in
            defer { standing = now }
            isDegraded.record(now == .agrees ? 0 : 1)
            return standing != now
        }
        guard isNews else { return }
        let seconds: Logger.Metadata = ["seconds": "\(abs(lead.components.seconds))"]
        switch now {
        case .agrees: logger.notice("the clock agrees with the database's again")
        case .ahead:
            logger.error(
                "the clock is ahead of the database's: what expires is removed by that one until they agree",
                metadata: seconds)
        case .behind:
            logger.error(
                "the clock is behind the database's: what has expired elsewhere still counts here", metadata: seconds)
        }
    }
}

extension DatabaseClock {
    convenience init(
        of storage: any BridgeStorage, metrics: any MetricsFactory = NOOPMetricsHandler.instance, time: TimeSource,
        logger: Logger
    ) {
        self.init(metrics: metrics, time: time, logger: logger) { try await storage.databaseTime() }
    }
}
