import CoreMetrics
import Metrics

/// How many spans were sent, and how many were not.
struct TelemetryMetrics: Sendable {
    /// Why spans were dropped.
    enum Reason: String, CaseIterable {
        /// More came than could be sent.
        case queueFull = "queue_full"
        /// The receiver did not want them.
        case rejected
        /// The server stopped before they were sent.
        case stopped
    }

    private let sent: Counter
    private let dropped: [Reason: Counter]

    init(_ metrics: any MetricsFactory) {
        sent = Counter(label: "drawbridge_spans_sent_total", factory: metrics)
        dropped = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map { reason in
                let counter = Counter(
                    label: "drawbridge_spans_dropped_total", dimensions: [("reason", reason.rawValue)],
                    factory: metrics)
                // An alert on a rise needs something to rise from.
                counter.increment(by: 0)
                return (reason, counter)
            })
        sent.increment(by: 0)
    }

    func count(sent count: Int) { sent.increment(by: count) }

    func count(dropped count: Int, _ reason: Reason) {
        if count > 0 { dropped[reason]?.increment(by: count) }
    }
}
