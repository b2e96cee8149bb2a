import Bridge
import CoreMetrics
import Metrics
import Synchronization

/// How forwarding to one target goes, as numbers.
final class AuditForwardMetrics: Sendable {
    private let connected: Gauge
    private let lag: Gauge
    private let sent: Counter
    private let failures: Counter
    private let lost: Counter
    /// What the counters have been told.
    private let counted = Mutex(AuditForwardStatus.State())

    init(target: String, factory: any MetricsFactory) {
        let dimensions = [("target", target)]
        connected = Gauge(label: "drawbridge_audit_forward_connected", dimensions: dimensions, factory: factory)
        lag = Gauge(label: "drawbridge_audit_forward_lag_events", dimensions: dimensions, factory: factory)
        sent = Counter(label: "drawbridge_audit_forward_sent_total", dimensions: dimensions, factory: factory)
        failures = Counter(label: "drawbridge_audit_forward_failures_total", dimensions: dimensions, factory: factory)
        lost = Counter(label: "drawbridge_audit_forward_lost_total", dimensions: dimensions, factory: factory)
        // Of a series that begins with its first event Prometheus sees no rise, and the first round may find that events
        // were lost.
        for counter in [sent, failures, lost] { counter.increment(by: 0) }
    }

    func record(_ state: AuditForwardStatus.State) {
        connected.record(state.isConnected ? 1 : 0)
        if let events = state.lag { lag.record(events) }
        counted.withLock { counted in
            sent.increment(by: state.delivered - counted.delivered)
            failures.increment(by: state.failures - counted.failures)
            lost.increment(by: state.lost - counted.lost)
            counted = state
        }
    }
}
