import CoreMetrics

extension Gauge {
    /// Whether a part does with less than it should, on `/metrics`: 1 where it does, 0 where it does not.
    static func degraded(_ part: String, in metrics: any MetricsFactory) -> Gauge {
        Gauge(label: "drawbridge_degraded", dimensions: [("part", part)], factory: metrics)
    }
}
