package import Bridge

extension DurableStorage: WebhookStore {
    package func setWebhookSubscribers(_ clients: Set<ClientID>) async throws {
        let known: Set<ClientID> = try await read { session in
            Set(try session.run(WebhookSQL.subscribers).map { try $0.identifier(0) })
        }
        guard known != clients else { return }
        try await write { transaction in
            for id in clients.subtracting(known) { try transaction.run(WebhookSQL.subscribe, [SQLValue(id)]) }
            for id in known.subtracting(clients) { try transaction.run(WebhookSQL.unsubscribe, [SQLValue(id)]) }
        }
    }

    package func takeWebhookNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [WebhookNotice] {
        try await take(from: WebhookSQL.queue, dueAt: now, lease: lease, limit: limit, sparing: busy)
    }

    package func postponeWebhookNotice(_ id: String, until next: Timestamp) async throws {
        try await postpone(id, in: WebhookSQL.queue, until: next)
    }

    package func settleWebhookNotice(_ id: String, event: AuditEvent) async throws {
        try await settle(id, in: WebhookSQL.queue, event: event)
    }
}

extension WebhookNotice: QueuedNotice {
    init(row: SQLRow) throws {
        guard let kind = Kind(rawValue: try row.text(2)) else {
            throw StorageError.corrupt("a webhook notice is of no known kind")
        }
        self.init(
            id: try row.text(0), clientID: try row.identifier(1), kind: kind, subject: try row.identifier(3),
            objectID: try row.text(4), reason: try row.optionalText(5), endedAt: try row.timestamp(6),
            attempts: try row.count(7))
    }
}
