import Bridge
import CoreMetrics

/// How redemptions end, for the operator's charts.
struct OutcomeMetrics: Sendable {
    private let counters: [String: Counter]

    init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: RedemptionOutcome.labels.map { word in
                (
                    word,
                    Counter(
                        label: "drawbridge_redemptions_total", dimensions: [("outcome", word)], factory: factory)
                )
            })
    }

    func count(_ outcome: RedemptionOutcome) { counters[outcome.label]?.increment() }
}
