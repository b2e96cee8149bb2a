package import CoreMetrics

/// A counter for each way in which something can end, for the operator's charts.
package struct OutcomeCounters<Outcome: CaseIterable & RawRepresentable<String> & Hashable & Sendable>: Sendable {
    private let counters: [Outcome: Counter]

    /// - Parameter label: the metric's name; its dimension is `outcome`.
    package init(label: String, factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                (outcome, Counter(label: label, dimensions: [("outcome", outcome.rawValue)], factory: factory))
            })
    }

    /// Counts one that has ended so.
    package func count(_ outcome: Outcome) { counters[outcome]?.increment() }
}
