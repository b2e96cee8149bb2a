package import Bridge

extension DurableStorage: WebhookStore {
    package func changeWebhookSubscribers(
        adding added: Set<ClientID>, removing removed: Set<ClientID>
    ) async throws {
        try await change(subscribers: .webhooks, adding: added, removing: removed)
    }

    package func takeWebhookNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [WebhookNotice] {
        try await take(from: WebhookSQL.queue, dueAt: now, lease: lease, limit: limit, sparing: busy)
    }

    package func postponeWebhookNotice(_ id: String, until next: Timestamp) async throws {
        try await postpone(id, in: WebhookSQL.queue, until: next)
    }

    package func giveBackWebhookNotice(_ id: String, until next: Timestamp) async throws {
        try await giveBack(id, to: WebhookSQL.queue, until: next)
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

/// The statements about the queue of webhook notices.
enum WebhookSQL {
    /// Notices of such ends of a kind as hold what is asked of `o`, if their clients have a webhook.
    /// - Parameters:
    ///   - reason: an expression, as `now` is.
    private static func insert(
        _ kind: WebhookNotice.Kind, of table: String, where condition: String, reason: String, at now: String
    ) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO webhook_notice
                (id, client_id, kind, subject, object_id, reason, ended_at, attempts, next_attempt_at)
            SELECT '\(WebhookNotice.id(kind, ""))' || o.id, o.client_id, '\(kind.rawValue)', o.subject, o.id,
                CAST(\(reason) AS TEXT), CAST(\(now) AS BIGINT), 0, CAST(\(now) AS BIGINT)
            FROM \(table) o JOIN webhook_subscriber w ON w.client_id = o.client_id WHERE \(condition)
            ON CONFLICT (id) DO NOTHING
            """)
    }

    /// Notices for ends; `$2` is why, `$3` when.
    static func insertListed(_ kind: WebhookNotice.Kind, of table: String, where condition: String) -> SQLStatement {
        insert(kind, of: table, where: condition, reason: "$2", at: "$3")
    }

    /// Notices for all ends of a kind that are about to be made at `$1`.
    /// - Parameter alive: what holds of those that have not ended.
    static func insertEnds(
        _ kind: WebhookNotice.Kind, of table: String, alive: String, reason: String
    ) -> SQLStatement {
        insert(kind, of: table, where: "o.\(alive) AND o.expires_at > $1", reason: "'\(reason)'", at: "$1")
    }

    static let queue = NoticeQueue<WebhookNotice>(
        table: "webhook_notice",
        columns: ["id", "client_id", "kind", "subject", "object_id", "reason", "ended_at", "attempts"])
}
