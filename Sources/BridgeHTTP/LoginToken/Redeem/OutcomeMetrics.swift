import Bridge
import CoreMetrics

/// How redemptions end, for the operator's charts.
struct OutcomeMetrics: Sendable {
    private let counters: [String: Counter]

    init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: ["opened", "repeated", "confirm", "switch", "refused", "limited"].map { word in
                (
                    word,
                    Counter(
                        label: "drawbridge_redemptions_total", dimensions: [("outcome", word)], factory: factory)
                )
            })
    }

    func count(_ outcome: RedemptionOutcome) {
        let word =
            switch outcome {
            case .landed(_, let opened): opened == nil ? "repeated" : "opened"
            case .confirm(_, .wrong): "refused"
            case .confirm: "confirm"
            case .switchAccount: "switch"
            case .refused: "refused"
            case .limited: "limited"
            }
        counters[word]?.increment()
    }
}
