import Bridge
import CoreMetrics
import Metrics
import Synchronization

/// How long the one connection that writes is held, and how many writes wait for it, for metrics.
final class WriterMetrics: Sendable {
    private let times: [WriterWork: CoreMetrics.Timer]
    private let gauges: [WriterWork: Gauge]
    private let waiting: Gauge
    private let longest = Mutex<[WriterWork: Duration]>([:])

    init(_ metrics: any MetricsFactory) {
        var times: [WriterWork: CoreMetrics.Timer] = [:]
        var gauges: [WriterWork: Gauge] = [:]
        for work in WriterWork.allCases {
            let labels = [("work", work.rawValue)]
            times[work] = CoreMetrics.Timer(
                label: "drawbridge_writer_seconds", dimensions: labels, factory: metrics)
            gauges[work] = Gauge(label: "drawbridge_writer_longest_seconds", dimensions: labels, factory: metrics)
            gauges[work]?.record(0.0)
        }
        (self.times, self.gauges) = (times, gauges)
        waiting = Gauge(label: "drawbridge_writes_waiting", factory: metrics)
        waiting.record(0)
    }

    func record(waiting count: Int) { waiting.record(count) }

    func record(_ work: WriterWork, _ time: Duration) {
        let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
        times[work]?.recordNanoseconds(nanoseconds)
        let isLongest = longest.withLock { longest in
            guard time > longest[work] ?? .zero else { return false }
            longest[work] = time
            return true
        }
        if isLongest { gauges[work]?.record(Double(nanoseconds) / 1e9) }
    }
}
