import Synchronization

/// What is alarming now: looked at by the console, kept up by ``look(at:now:)``.
package final class AlertBoard: Sendable {
    /// What one look changed.
    package struct Change: Hashable, Sendable {
        package let begun: [Alert]
        package let over: [Alert]
    }

    package let rules: [AlertRule]

    private struct State {
        var alerts: [AlertRule.Name: Alert] = [:]
        /// When each acknowledged alert began: it stays hidden until it ends and begins again.
        var acknowledged: [AlertRule.Name: Timestamp] = [:]
    }

    private let state = Mutex(State())

    package init(rules: [AlertRule]) { self.rules = rules }

    /// What has not been acknowledged yet, in the order of the rules.
    package var unseen: [Alert] {
        let state = state.withLock { $0 }
        return inOrder(state.alerts).filter { state.acknowledged[$0.rule.name] != $0.since }
    }

    /// Notes that an administrator has seen an alert, at this node.
    /// - Returns: whether there is such an alert now.
    package func acknowledge(_ name: AlertRule.Name) -> Bool {
        state.withLock { state in
            guard let alert = state.alerts[name] else { return false }
            state.acknowledged[name] = alert.since
            return true
        }
    }

    /// The alerts in the order of the rules.
    package var current: [Alert] { inOrder(state.withLock { $0.alerts }) }

    private func inOrder(_ alerts: [AlertRule.Name: Alert]) -> [Alert] { rules.compactMap { alerts[$0.name] } }

    /// Counts the events of the last ``AlertRule/window``.
    /// - Parameter tallies: those of that time.
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
        return state.withLock { state in
            var begun: [Alert] = []
            var over: [Alert] = []
            for (rule, count) in counts {
                let before = state.alerts[rule.name]
                guard count > rule.threshold else {
                    if let before { over.append(before) }
                    state.alerts[rule.name] = nil
                    continue
                }
                let alert = Alert(rule: rule, count: count, since: before?.since ?? now)
                if before == nil { begun.append(alert) }
                state.alerts[rule.name] = alert
            }
            return Change(begun: begun, over: over)
        }
    }
}

/// Tells an external receiver of an alert.
package protocol AlertDelivery: Sendable {
    /// - Returns: whether it was taken.
    func deliver(_ alert: Alert, isOver: Bool, node: String, at now: Timestamp) async -> Bool
}
