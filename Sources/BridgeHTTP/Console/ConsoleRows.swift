import Bridge
import OAuth2

/// Things of the domain as the templates take them.
enum ConsoleRows {
    static func event(_ entry: AuditEntry) -> [String: any Sendable] {
        switch entry {
        case .intact(let record): event(record)
        case .damaged(let damage):
            [
                "id": damage.id, "path": "/admin/events/\(PercentEncoding.encode(damage.id))",
                "at": damage.at?.rfc3339 ?? "", "time": damage.at.map(time) ?? "no time", "type": "damaged",
                "outcome": "", "failed": true, "reason": "\(damage.field) cannot be read",
            ]
        }
    }

    static func event(_ record: AuditRecord) -> [String: any Sendable] {
        let event = record.event
        var row: [String: any Sendable] = [
            "id": record.id, "path": "/admin/events/\(PercentEncoding.encode(record.id))",
            "at": event.at.rfc3339, "time": time(event.at), "type": event.type.rawValue,
            "outcome": event.outcome.rawValue, "failed": event.outcome == .failure,
        ]
        row["reason"] = event.reason
        row["sub"] = event.subject?.rawValue
        row["sub_path"] = event.subject.map { userPath($0) }
        row["client"] = event.clientID?.rawValue
        row["target"] = event.targetClientID?.rawValue
        row["ip"] = event.address
        row["ip_path"] = event.address.map { "/admin/events?ip=\(PercentEncoding.encode($0))" }
        return row
    }

    static func user(_ user: UserOverview) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "sub": user.subject.rawValue, "path": userPath(user.subject), "issuer": user.issuer,
            "name": user.displayName ?? user.username ?? user.subject.rawValue,
            "first_seen": time(user.firstSeenAt), "disabled": user.disabledAt != nil,
        ]
        row["username"] = user.username
        row["email"] = user.email
        row["role"] = user.role
        row["disabled_at"] = user.disabledAt.map(time)
        return row
    }

    static func session(_ session: SessionOverview, at now: Timestamp) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "id": session.id.rawValue, "path": "/admin/sessions/\(PercentEncoding.encode(session.id.rawValue))/end",
            "events_path": "/admin/events?sid=\(PercentEncoding.encode(session.id.rawValue))",
            "client": session.clientID.rawValue, "opening": session.opening, "kind": session.kind.rawValue,
            "created": time(session.createdAt), "until": time(session.idleExpiresAt ?? session.expiresAt),
            "alive": session.isAlive(at: now),
        ]
        row["seen"] = session.lastSeenAt.map(time)
        row["app"] = session.appClientID?.rawValue
        row["parent"] = session.parentID?.rawValue
        row["ended"] = session.endedAt.map(time)
        return row
    }

    static func linkedKey(_ key: LinkedKey) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "thumbprint": key.thumbprint, "algorithm": key.algorithm, "origin": key.origin.rawValue,
            "created": time(key.createdAt), "path": "\(userPath(key.subject))/phone-keys/\(key.thumbprint)",
            "events_path": "/admin/events?q=\(PercentEncoding.encode(key.subject.rawValue))&type=self_issued.linked",
        ]
        row["used"] = key.lastUsedAt.map(time)
        return row
    }

    static func userPath(_ subject: Subject) -> String { "/admin/users/\(PercentEncoding.encode(subject.rawValue))" }

    /// `2026-11-21 07:00:00` in UTC.
    static func time(_ instant: Timestamp) -> String {
        String(instant.rfc3339.prefix(19)).replacing("T", with: " ")
    }
}
