/// The statements about the queue of logout notices.
enum LogoutNoticeSQL {
    static let insert: SQLStatement = """
        INSERT INTO logout_notice (id, client_id, subject, session_id, created_at, attempts, next_attempt_at)
        VALUES ($1, $2, $3, $4, $5, 0, $5) ON CONFLICT (id) DO NOTHING
        """

    static let due: SQLStatement = """
        SELECT id, client_id, subject, session_id, created_at, attempts, next_attempt_at FROM logout_notice
        WHERE next_attempt_at <= $1 ORDER BY next_attempt_at, id LIMIT $2
        """

    /// One call takes a notice; it comes back at `$3` unless it is settled before.
    static let take: SQLStatement = """
        UPDATE logout_notice SET attempts = attempts + 1, next_attempt_at = $3
        WHERE id = $1 AND next_attempt_at = $2
        """

    static let postpone: SQLStatement = "UPDATE logout_notice SET next_attempt_at = $2 WHERE id = $1"
    static let delete: SQLStatement = "DELETE FROM logout_notice WHERE id = $1"
}
