import Bridge

/// The statements that queue word of ends, for such clients as have somewhere to be told. `$1` lists what ended.
struct EndNoticeSQL: Sendable {
    fileprivate let appSessionWebhooks: SQLStatement
    fileprivate let webSessionWebhooks: SQLStatement
    fileprivate let deviceWebhooks: SQLStatement
    fileprivate let appSessionLogouts: SQLStatement
    fileprivate let webSessionLogouts: SQLStatement

    init(_ dialect: SQLDialect) {
        let isListed = dialect.isAmong("o.id", "$1")
        appSessionWebhooks = WebhookSQL.insertListed(.appSessionEnded, of: "app_session", where: isListed)
        webSessionWebhooks = WebhookSQL.insertListed(.webSessionEnded, of: "web_session", where: isListed)
        deviceWebhooks = WebhookSQL.insertListed(.deviceRevoked, of: "device_secret", where: isListed)
        appSessionLogouts = LogoutNoticeSQL.insertAppSessionEnds(where: isListed, at: "$2")
        webSessionLogouts = LogoutNoticeSQL.insertWebSessionEnds(where: isListed, at: "$2")
    }
}

extension WriteTransaction {
    /// What notices of several ends have in common.
    private struct End: Hashable {
        let isOfApp: Bool
        /// As websites are told.
        let reason: String?
        let at: Timestamp
    }

    /// Queues word of the ends that events are about, as far as these are of sessions, for the sessions' clients.
    func queueNotices(of events: [AuditEvent], by sql: EndNoticeSQL) throws {
        var ended: [End: [SessionID]] = [:]
        for event in events {
            guard let isOfApp = event.endsAppSession, let id = event.sessionID else { continue }
            ended[End(isOfApp: isOfApp, reason: event.reasonForWebsites, at: event.at), default: []].append(id)
        }
        for (end, ids) in ended {
            for list in try SQLValue.lists(of: ids) {
                try submit(
                    end.isOfApp ? sql.appSessionWebhooks : sql.webSessionWebhooks,
                    [list, SQLValue(end.reason), SQLValue(end.at)])
                try submit(end.isOfApp ? sql.appSessionLogouts : sql.webSessionLogouts, [list, SQLValue(end.at)])
            }
        }
    }

    /// Queues word for the clients of app sessions that go on, as ``EndingGround/tellClient(leaving:at:)`` says.
    func queueLogoutNotices(leaving ids: [SessionID], at now: Timestamp, by sql: EndNoticeSQL) throws {
        for list in try SQLValue.lists(of: ids) { try submit(sql.appSessionLogouts, [list, SQLValue(now)]) }
    }

    /// Queues word of a device's end.
    func queueWebhook(ended id: DeviceSecretID, by event: AuditEvent, _ sql: EndNoticeSQL) throws {
        for list in try SQLValue.lists(of: [id]) {
            try submit(sql.deviceWebhooks, [list, SQLValue(event.reasonForWebsites), SQLValue(event.at)])
        }
    }
}

extension AuditEvent {
    /// Whether it is about an app session's end, or a web session's; `nil` where it is about neither.
    fileprivate var endsAppSession: Bool? {
        switch type {
        case .webSessionEnded, .webSessionSwitched: false
        case .appSessionEnded: true
        default: nil
        }
    }
}
