/// How many events of one kind there were in one minute.
package struct AuditTally: Hashable, Sendable {
    /// The minute's begin.
    package let at: Timestamp
    package let type: AuditEventType
    package let outcome: AuditEvent.Outcome
    package let reason: String?
    package let count: Int64

    package init(at: Timestamp, type: AuditEventType, outcome: AuditEvent.Outcome, reason: String?, count: Int64) {
        self.at = at
        self.type = type
        self.outcome = outcome
        self.reason = reason
        self.count = count
    }
}

/// A number that was looked at once a minute, such as how many sessions live.
package struct StateSample: Hashable, Sendable {
    package enum Name: String, Sendable, CaseIterable {
        case webSessions = "web_sessions"
    }

    package let at: Timestamp
    package let name: Name
    package let value: Int64

    package init(at: Timestamp, name: Name, value: Int64) {
        self.at = at
        self.name = name
        self.value = value
    }
}

/// Counts of audit events by the minute, so that charts over ten million events read a few thousand rows.
///
/// Counted after the writing, by the node that wrote: the requests themselves pay nothing for it.
package protocol AuditTallies: Sendable {
    /// Counts this node's events that were not counted yet, at most `limit` of them.
    /// - Returns: what was counted; empty when nothing was left.
    func advanceTally(limit: Int) async throws -> [AuditTally]

    /// The counts of every minute from `from` up to `to`, with the events that are not counted yet.
    func tallies(from: Timestamp, to: Timestamp) async throws -> [AuditTally]

    /// Notes a number; of several nodes that note one minute's, the last stands.
    func record(_ sample: StateSample) async throws

    func samples(_ name: StateSample.Name, from: Timestamp, to: Timestamp) async throws -> [StateSample]
}
