import CoreMetrics

/// What becomes of devices that wait for a user, for the operator's charts.
struct DeviceGrantMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case issued, approved, denied
        /// A user code that no device shows.
        case unknown
        case limited
    }

    private let counters: OutcomeCounters<Outcome>

    init(factory: any MetricsFactory) {
        counters = OutcomeCounters(label: "drawbridge_device_codes_total", factory: factory)
    }

    func count(_ outcome: Outcome) { counters.count(outcome) }
}
