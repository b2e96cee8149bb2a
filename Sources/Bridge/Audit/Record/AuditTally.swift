/// How many events of one kind there were in one minute.
package struct AuditTally: Hashable, Sendable {
    /// How long counts and samples stay: a day longer than the console's longest chart goes back.
    package static let keptFor = Duration.seconds(8 * 86_400)

    /// The reason of events that were counted instead of written (``AuditEventType/auditSuppressed``).
    package static let suppressedReason = "too_many"

    /// The start of the minute, or of the bar that it was added up in.
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
    /// What was counted, as the database and the overview name it.
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
