package import Logging
import Metrics
import Synchronization

/// Whether a shared part is away and its replacement answers; read by `/readyz` and metrics.
package final class Degradation: Sendable {
    private let part: String
    private let logger: Logger
    private let gauge: Gauge
    private let isActive = Mutex(false)

    /// - Parameter part: its name in metrics and the log, such as `rate_limits`.
    package init(part: String, logger: Logger = Logger(label: "drawbridge.degradation")) {
        self.part = part
        self.logger = logger
        gauge = Gauge(label: "drawbridge_degraded", dimensions: [("part", part)])
        gauge.record(0)
    }

    package var isDegraded: Bool { isActive.withLock { $0 } }

    /// The shared part could not answer.
    func begin(because error: StorageError) {
        guard change(to: true) else { return }
        gauge.record(1)
        logger.warning("degraded", metadata: ["part": "\(part)", "error": "\(error)"])
    }

    /// The shared part answered.
    func end() {
        guard change(to: false) else { return }
        gauge.record(0)
        logger.info("no longer degraded", metadata: ["part": "\(part)"])
    }

    /// - Returns: whether it was different.
    private func change(to value: Bool) -> Bool {
        isActive.withLock { isActive in
            defer { isActive = value }
            return isActive != value
        }
    }
}
