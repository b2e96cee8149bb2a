import Bridge

/// The statements about the queue of logout notices.
enum LogoutNoticeSQL {
    static let insert: SQLStatement = """
        INSERT INTO logout_notice (id, client_id, subject, session_id, created_at, attempts, next_attempt_at)
        VALUES ($1, $2, $3, $4, $5, 0, $5) ON CONFLICT (id) DO NOTHING
        """

    static let queue = NoticeQueue<LogoutNotice>(
        table: "logout_notice", columns: ["id", "client_id", "subject", "session_id", "created_at", "attempts"])
}
