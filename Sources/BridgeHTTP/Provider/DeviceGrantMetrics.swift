import CoreMetrics

/// What becomes of devices that wait for a user, for the operator's charts.
struct DeviceGrantMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case issued, approved, denied
        /// A user code that no device shows.
        case unknown
        case limited
    }

    private let counters: [Outcome: Counter]

    init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                (
                    outcome,
                    Counter(
                        label: "drawbridge_device_codes_total", dimensions: [("outcome", outcome.rawValue)],
                        factory: factory)
                )
            })
    }

    func count(_ outcome: Outcome) { counters[outcome]?.increment() }
}
