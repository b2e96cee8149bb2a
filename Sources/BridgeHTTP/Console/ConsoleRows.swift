import Bridge
import OAuth2

/// Things of the domain as the templates take them.
enum ConsoleRows {
    static func event(
        _ entry: AuditEntry, _ words: ConsoleWords, _ names: ConsoleNames? = nil
    ) -> [String: any Sendable] {
        switch entry {
        case .intact(let record): event(record, names)
        case .damaged(let damage):
            [
                "id": damage.id, "path": "\(ConsoleSection.events.path)/\(PercentEncoding.encode(damage.id))",
                "at": damage.at?.rfc3339 ?? "", "time": damage.at.map(time) ?? words("console", "no_time"),
                "type": "damaged",
                "outcome": "", "failed": true, "reason": words("console", "damaged", ["field": damage.field]),
            ]
        }
    }

    private static func event(_ record: AuditRecord, _ names: ConsoleNames?) -> [String: any Sendable] {
        let event = record.event
        var row: [String: any Sendable] = [
            "id": record.id, "path": "\(ConsoleSection.events.path)/\(PercentEncoding.encode(record.id))",
            "at": event.at.rfc3339, "time": time(event.at), "type": event.type.rawValue,
            "outcome": event.outcome.rawValue, "failed": event.outcome == .failure,
        ]
        row["reason"] = event.reason
        // Whose own act it was stands in the row as the user.
        let user = event.subject.map { AdminActor.account($0).description }
        row["by"] = event.actor == user ? nil : event.actor
        row["sub"] = event.subject?.rawValue
        row["sub_path"] = event.subject.map { userPath($0) }
        row["sub_name"] = event.subject.flatMap { names?[$0] }
        row["client"] = event.clientID?.rawValue
        row["target"] = event.targetClientID?.rawValue
        row["ip"] = event.address
        row["ip_path"] = event.address.map { "\(ConsoleSection.events.path)?ip=\(PercentEncoding.encode($0))" }
        return row
    }

    static func user(_ user: UserOverview) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "sub": user.subject.rawValue, "path": userPath(user.subject), "issuer": user.issuer,
            "name": user.shownName,
            "first_seen": instant(user.firstSeenAt), "disabled": user.disabledAt != nil,
        ]
        row["username"] = user.username
        row["display_name"] = user.displayName
        row["email"] = user.email
        row["role"] = user.role
        row["disabled_at"] = user.disabledAt.map(instant)
        return row
    }

    static func session(
        _ session: SessionOverview, at now: Timestamp, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "id": session.id.rawValue, "path": "/admin/sessions/\(PercentEncoding.encode(session.id.rawValue))/end",
            "events_path": "\(ConsoleSection.events.path)?sid=\(PercentEncoding.encode(session.id.rawValue))",
            "client": session.clientID.rawValue, "opening": session.opening,
            "kind": words("console_sessions", session.kind.rawValue), "alive": session.isAlive(at: now),
            "created": words("console_user", "opened", ["at": utc(session.createdAt)]),
            "until": words("console_user", "until", ["at": utc(session.idleExpiresAt ?? session.expiresAt)]),
            "end_label": words("console_user", "end_label", ["id": session.id.rawValue]),
        ]
        row["seen"] = session.lastSeenAt.map { words("console_user", "seen", ["at": utc($0)]) }
        row["app"] = session.appClientID.map { words("console_user", "from_app", ["app": $0.rawValue]) }
        row["parent"] = session.parentID.map { words("console_user", "under", ["parent": $0.rawValue]) }
        row["ended"] = session.endedAt.map { words("console_user", "ended", ["at": utc($0)]) }
        return row
    }

    /// Where and with what a session was opened.
    static func trace(_ trace: SessionTrace, _ words: ConsoleWords) -> [String: any Sendable] {
        var row: [String: any Sendable] = [:]
        row["browser"] =
            switch (BrowserWords.browser(trace.userAgent), BrowserWords.system(trace.userAgent)) {
            case (let browser?, let system?):
                words("console_user", "browser", ["browser": browser, "system": system])
            case (let one?, nil), (nil, let one?): one
            case (nil, nil): nil
            }
        if let address = trace.address?.description {
            row["ip"] = address
            row["ip_path"] = "\(ConsoleSection.events.path)?ip=\(PercentEncoding.encode(address))"
        }
        return row
    }

    static func linkedKey(
        _ key: LinkedKey, _ words: ConsoleWords, after refused: RefusedForm?
    ) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "thumbprint": key.thumbprint, "algorithm": key.algorithm.rawValue, "origin": key.origin.rawValue,
            "created": instant(key.createdAt), "path": "\(userPath(key.subject))/phone-keys/\(key.thumbprint)",
            "events_path": ConsoleSection.events.path
                + "?q=\(PercentEncoding.encode(key.subject.rawValue))&type=self_issued.linked",
            "unlink_label": words("console_user", "unlink_label", ["key": key.thumbprint]),
        ]
        row["used"] = key.lastUsedAt.map { words("console_user", "used", ["at": utc($0)]) }
        row.merge(UserForm.unlink(key.thumbprint).values(["reason": ""], after: refused)) { $1 }
        return row
    }

    static func passkey(
        _ passkey: Passkey, _ words: ConsoleWords, after refused: RefusedForm?
    ) -> [String: any Sendable] {
        var row: [String: any Sendable] = [
            "mark": passkey.mark, "name": passkey.name, "host": passkey.relyingParty,
            "algorithm": passkey.algorithm.rawValue,
            "created": words("console_user", "passkey_added", ["at": utc(passkey.createdAt)]),
            "path": "\(userPath(passkey.subject))/passkeys/\(passkey.mark)",
            "remove_label": words("console_user", "passkey_label", ["name": passkey.name]),
        ]
        row["used"] = passkey.lastUsedAt.map { words("console_user", "used", ["at": utc($0)]) }
        row.merge(UserForm.remove(passkey: passkey.mark).values(["reason": ""], after: refused)) { $1 }
        return row
    }

    static func consent(
        _ consent: Consent, of subject: Subject, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        let id = consent.clientID.rawValue
        return [
            "client": id, "scope": consent.scopes.sorted().joined(separator: " "),
            "agreed": words("console_user", "agreed", ["at": utc(consent.agreedAt)]),
            "path": "\(userPath(subject))/consents/\(PercentEncoding.encode(id))",
            "withdraw_label": words("console_user", "withdraw_label", ["name": id]),
        ]
    }

    static func userPath(_ subject: Subject) -> String { "/admin/users/\(PercentEncoding.encode(subject.rawValue))" }

    /// `2026-11-21 07:00:00` in UTC, which a heading or label beside it says.
    static func time(_ instant: Timestamp) -> String {
        String(instant.rfc3339.prefix(19)).replacing("T", with: " ")
    }

    /// The time for a sentence, with its zone.
    static func utc(_ instant: Timestamp) -> String { "\(time(instant)) UTC" }

    /// For an element `time`, by which readers are shown their own time as well.
    static func instant(_ instant: Timestamp) -> [String: String] {
        ["exact": instant.rfc3339, "shown": time(instant)]
    }
}

extension UserOverview {
    /// The best that people know the user by.
    var shownName: String { displayName ?? username ?? subject.rawValue }
}
