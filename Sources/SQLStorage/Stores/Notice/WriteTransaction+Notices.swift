import Bridge

extension WriteTransaction {
    /// Queues word of the end that an event is about, when it is about a session's, for the session's client.
    func queueNotices(of event: AuditEvent) throws {
        switch event.type {
        case .webSessionEnded, .webSessionSwitched:
            guard let id = event.sessionID else { return }
            try queueWebhook(.webSessionEnded, id.rawValue, WebhookSQL.insertWebSessionEnd, event)
            try submit(LogoutNoticeSQL.insertWebSessionEnd, [SQLValue(id), SQLValue(event.at)])
        case .appSessionEnded:
            guard let id = event.sessionID else { return }
            try queueWebhook(.appSessionEnded, id.rawValue, WebhookSQL.insertAppSessionEnd, event)
            try submit(LogoutNoticeSQL.insertAppSessionEnd, [SQLValue(id), SQLValue(event.at)])
        default: return
        }
    }

    /// Queues word of a device's end.
    func queueWebhook(ended id: DeviceSecretID, by event: AuditEvent) throws {
        try queueWebhook(.deviceRevoked, id.rawValue, WebhookSQL.insertDeviceEnd, event)
    }

    private func queueWebhook(
        _ kind: WebhookNotice.Kind, _ objectID: String, _ insert: SQLStatement, _ event: AuditEvent
    ) throws {
        try submit(
            insert,
            [
                .text(WebhookNotice.id(kind, objectID)), .text(kind.rawValue), SQLValue(event.reasonForWebsites),
                SQLValue(event.at), .text(objectID),
            ])
    }
}
