import Bridge
import CoreMetrics

/// How redemptions end, for the operator's charts.
struct OutcomeMetrics: Sendable {
    private let counters: OutcomeCounters<RedemptionOutcome.Label>

    init(factory: any MetricsFactory) {
        counters = OutcomeCounters(label: "drawbridge_redemptions_total", factory: factory)
    }

    func count(_ outcome: RedemptionOutcome) { counters.count(outcome.label) }
}
