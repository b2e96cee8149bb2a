import Bridge
package import CoreMetrics

/// How sign-ins by phone go, for the operator's charts.
package struct SelfIssuedMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case started, answered, signedIn = "signed_in", linked, unknown, refused, limited
    }

    private let counters: [Outcome: Counter]

    package init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                let dimensions = [("outcome", outcome.rawValue)]
                return (
                    outcome, Counter(label: "drawbridge_self_issued_total", dimensions: dimensions, factory: factory)
                )
            })
    }

    func count(_ outcome: Outcome) { counters[outcome]?.increment() }

    func count(_ outcome: SelfIssuedOutcome) {
        switch outcome {
        case .signedIn: count(Outcome.signedIn)
        case .linked: count(Outcome.linked)
        case .unknown: count(Outcome.unknown)
        }
    }

    func count(_ refusal: SelfIssuedRefusal) {
        count(refusal.reason == .rateLimited ? Outcome.limited : Outcome.refused)
    }
}
