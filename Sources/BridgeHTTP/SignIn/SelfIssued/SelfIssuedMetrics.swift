import Bridge
package import CoreMetrics

/// How sign-ins by phone go, for the operator's charts.
package struct SelfIssuedMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case started, answered, signedIn = "signed_in", linked, unknown, refused, limited
    }

    private let counters: OutcomeCounters<Outcome>

    package init(factory: any MetricsFactory) {
        counters = OutcomeCounters(label: "drawbridge_self_issued_total", factory: factory)
    }

    func count(_ outcome: Outcome) { counters.count(outcome) }

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
