import Bridge

/// The statements about the queue of webhook notices.
enum WebhookSQL {
    /// One notice for an end, if the client of what ended has a webhook.
    private static func insert(from table: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO webhook_notice
                (id, client_id, kind, subject, object_id, reason, ended_at, attempts, next_attempt_at)
            SELECT CAST($1 AS TEXT), o.client_id, CAST($2 AS TEXT), o.subject, o.id, CAST($3 AS TEXT),
                CAST($4 AS BIGINT), 0, CAST($4 AS BIGINT)
            FROM \(table) o JOIN webhook_subscriber w ON w.client_id = o.client_id WHERE o.id = $5
            ON CONFLICT (id) DO NOTHING
            """)
    }

    static let insertWebSessionEnd = insert(from: "web_session")
    static let insertAppSessionEnd = insert(from: "app_session")
    static let insertDeviceEnd = insert(from: "device_secret")

    static let subscribers: SQLStatement = "SELECT client_id FROM webhook_subscriber"
    static let subscribe: SQLStatement = """
        INSERT INTO webhook_subscriber (client_id) VALUES ($1) ON CONFLICT (client_id) DO NOTHING
        """
    static let unsubscribe: SQLStatement = "DELETE FROM webhook_subscriber WHERE client_id = $1"

    static let queue = NoticeQueue<WebhookNotice>(
        table: "webhook_notice",
        columns: ["id", "client_id", "kind", "subject", "object_id", "reason", "ended_at", "attempts"])
}
