package import Bridge

extension DurableStorage: LogoutNoticeStore {
    package func takeLogoutNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [LogoutNotice] {
        try await take(from: LogoutNoticeSQL.queue, dueAt: now, lease: lease, limit: limit, sparing: busy)
    }

    package func postponeLogoutNotice(_ id: String, until next: Timestamp) async throws {
        try await postpone(id, in: LogoutNoticeSQL.queue, until: next)
    }

    package func settleLogoutNotice(_ id: String, event: AuditEvent) async throws {
        try await settle(id, in: LogoutNoticeSQL.queue, event: event)
    }
}

extension LogoutNotice: QueuedNotice {
    init(row: SQLRow) throws {
        self.init(
            id: try row.text(0), clientID: try row.identifier(1), subject: try row.identifier(2),
            sessionID: try row.identifier(3), createdAt: try row.timestamp(4), attempts: try row.count(5))
    }
}

/// The statements about the queue of logout notices.
enum LogoutNoticeSQL {
    static let insert: SQLStatement = """
        INSERT INTO logout_notice (id, client_id, subject, session_id, created_at, attempts, next_attempt_at)
        VALUES ($1, $2, $3, $4, $5, 0, $5) ON CONFLICT (id) DO NOTHING
        """

    static let queue = NoticeQueue<LogoutNotice>(
        table: "logout_notice", columns: ["id", "client_id", "subject", "session_id", "created_at", "attempts"])
}
