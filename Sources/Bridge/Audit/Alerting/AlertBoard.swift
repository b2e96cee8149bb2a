import Synchronization

/// What is alarming now: looked at by the console, kept up by ``look(at:now:)``.
package final class AlertBoard: Sendable {
    /// What one look changed.
    package struct Change: Hashable, Sendable {
        package let begun: [Alert]
        package let over: [Alert]
    }

    package let rules: [AlertRule]
    private let alerts = Mutex<[AlertRule.Name: Alert]>([:])

    package init(rules: [AlertRule]) { self.rules = rules }

    /// In the order of the rules.
    package var current: [Alert] {
        let alerts = alerts.withLock { $0 }
        return rules.compactMap { alerts[$0.name] }
    }

    /// Counts the events of the last ``AlertRule/window``.
    /// - Parameter tallies: of that time.
    package func look(at tallies: [AuditTally], now: Timestamp) -> Change {
        let counts = rules.map { rule in
            (
                rule,
                tallies.filter(rule.counts).reduce(Int64(0)) { sum, tally in
                    let (sum, isTooLarge) = sum.addingReportingOverflow(max(0, tally.count))
                    return isTooLarge ? .max : sum
                }
            )
        }
        return alerts.withLock { alerts in
            var begun: [Alert] = []
            var over: [Alert] = []
            for (rule, count) in counts {
                let before = alerts[rule.name]
                guard count > rule.threshold else {
                    if let before { over.append(before) }
                    alerts[rule.name] = nil
                    continue
                }
                let alert = Alert(rule: rule, count: count, since: before?.since ?? now)
                if before == nil { begun.append(alert) }
                alerts[rule.name] = alert
            }
            return Change(begun: begun, over: over)
        }
    }
}

/// Tells somebody outside of an alert.
package protocol AlertDelivery: Sendable {
    /// - Returns: whether it was taken.
    func deliver(_ alert: Alert, isOver: Bool, node: String, at now: Timestamp) async -> Bool
}
