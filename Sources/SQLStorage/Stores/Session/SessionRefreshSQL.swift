/// The statements about refresh cookies.
enum SessionRefreshSQL {
    static let insert: SQLStatement = """
        INSERT INTO web_session_refresh (digest, session_id, parent_digest, issued_at, expires_at, is_void)
        VALUES ($1, $2, $3, $4, $5, 0)
        """

    static let select: SQLStatement = """
        SELECT session_id, parent_digest, used_at, is_void FROM web_session_refresh WHERE digest = $1
        """

    static let usedChild: SQLStatement = """
        SELECT digest FROM web_session_refresh WHERE parent_digest = $1 AND session_id = $2 AND used_at IS NOT NULL
        """

    static let use: SQLStatement = """
        UPDATE web_session_refresh SET used_at = $2 WHERE digest = $1 AND used_at IS NULL
        """

    /// Those that were given out for the same predecessor and never used.
    static let voidSiblings: SQLStatement = """
        UPDATE web_session_refresh SET is_void = 1
        WHERE session_id = $1 AND parent_digest = $2 AND digest <> $3 AND used_at IS NULL
        """

    /// Holds the session's row for as long as the transaction runs, and moves its idle end.
    static let seen: SQLStatement = """
        UPDATE web_session SET last_seen_at = CASE WHEN last_seen_at < $2 THEN $2 ELSE last_seen_at END
        WHERE id = $1 AND ended_at IS NULL AND expires_at > $2 AND last_seen_at + idle_lifetime > $2
        """

    static let purge: SQLStatement = """
        DELETE FROM web_session_refresh WHERE digest IN
            (SELECT digest FROM web_session_refresh WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        """
}
