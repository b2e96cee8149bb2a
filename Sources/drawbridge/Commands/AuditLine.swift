import Bridge

/// A record on one line, for people.
enum AuditLine {
    static func text(of entry: AuditEntry) -> String {
        switch entry {
        case .intact(let record): text(of: record)
        case .damaged(let damage):
            "\(damage.at?.rfc3339 ?? "-") \(damage.id.printable) damaged - \(damage.sentence.printable)"
        }
    }

    static func text(of record: AuditRecord) -> String {
        let event = record.event
        let facts: [(String, String?)] = [
            ("reason", event.reason), ("sub", event.subject?.rawValue), ("client", event.clientID?.rawValue),
            ("target", event.targetClientID?.rawValue), ("sid", event.sessionID?.rawValue),
            ("token", event.tokenID?.rawValue), ("ip", event.address), ("request", event.requestID),
            ("detail", event.detail),
        ]
        let text = facts.compactMap { name, value in value.map { "\(name)=\($0.printable)" } }.joined(separator: " ")
        return "\(event.at.rfc3339) \(record.id) \(event.type.rawValue) \(event.outcome.rawValue) \(text)"
    }
}
