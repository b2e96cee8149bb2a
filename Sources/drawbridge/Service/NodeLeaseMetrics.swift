import Bridge
import CoreMetrics
import Metrics

/// Whether this process is its node, for metrics.
struct NodeLeaseMetrics: Sendable {
    private let isHeld: Gauge
    private let epoch: Gauge

    init(_ metrics: any MetricsFactory) {
        isHeld = Gauge(label: "drawbridge_node_lease_held", factory: metrics)
        epoch = Gauge(label: "drawbridge_node_lease_epoch", factory: metrics)
    }

    func record(_ standing: NodeStanding) {
        isHeld.record(standing.isHeld ? 1 : 0)
        epoch.record(standing.epoch)
    }
}
