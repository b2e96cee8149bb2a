/// The statements by which sessions end.
///
/// A session's row says in which transaction it ended, so that nodes read ends in the order of commits (contract §16.11).
struct EndingSQL: Sendable {
    let endAppSession: SQLStatement
    let endWebSession: SQLStatement
    /// As ``endWebSession``, where the row is at hand: for busy paths.
    let replaceWebSession: SQLStatement
    /// What the next reading of ends begins with: the run of the database, and the lowest number that a transaction under
    /// way may have.
    let mark: SQLStatement

    init(_ dialect: SQLDialect) {
        endAppSession = SQLStatement(
            """
            UPDATE app_session SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL AND expires_at > $2
            RETURNING \(AppSessionSQL.columns)
            """)
        // "Alive" leaves the idle end out: last_seen_at may lag behind what a node knows, and a session that is ended
        // once too often is harmless, one that is left alive is not.
        let end = """
            UPDATE web_session SET ended_at = $2, ended_in = \(dialect.transactionNumber)
            WHERE id = $1 AND ended_at IS NULL AND expires_at > $2
            """
        endWebSession = SQLStatement("\(end) RETURNING \(WebSessionSQL.columns)")
        replaceWebSession = SQLStatement(end)
        mark = SQLStatement("SELECT \(dialect.databaseRun), \(dialect.lowestOpenNumber)")
    }

    static let endedIn: SQLStatement = "SELECT id FROM web_session WHERE ended_in >= $1 ORDER BY ended_in"

    /// The living sessions that one opened or that were granted in it; the last kind was granted in a browser's session
    /// that it opened and whose place another took since.
    static let below: SQLStatement = """
        SELECT 'app', id FROM app_session WHERE parent_id = $1 AND ended_at IS NULL
        UNION SELECT 'web', id FROM web_session WHERE parent_id = $1 AND ended_at IS NULL
        UNION SELECT 'app', id FROM app_session WHERE browser_session_id = $1 AND ended_at IS NULL
        UNION SELECT 'app', id FROM app_session WHERE granted_in = $1 AND ended_at IS NULL
        UNION SELECT 'app', a.id FROM app_session a JOIN web_session w ON w.id = a.granted_in
            WHERE w.parent_id = $1 AND w.ended_at IS NOT NULL AND a.ended_at IS NULL
        ORDER BY 1, 2
        """

    static let grantsIn = SQLStatement(
        """
        SELECT \(AppSessionSQL.columns) FROM app_session
        WHERE browser_session_id = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY id
        """)

    static let deleteCodes: [SQLStatement] = [
        "DELETE FROM authorization_code WHERE browser_session_id = $1 AND redeemed_at IS NULL",
        "DELETE FROM authorization_code WHERE granted_in = $1 AND redeemed_at IS NULL",
        """
        DELETE FROM authorization_code WHERE redeemed_at IS NULL
            AND granted_in IN (SELECT id FROM web_session WHERE parent_id = $1 AND ended_at IS NOT NULL)
        """,
    ]

    static let everythingOf: SQLStatement = """
        SELECT 'app', id FROM app_session WHERE subject = $1 AND ended_at IS NULL AND expires_at > $2
        UNION ALL SELECT 'device', id FROM device_secret
            WHERE subject = $1 AND revoked_at IS NULL AND expires_at > $2
        UNION ALL SELECT 'web', id FROM web_session WHERE subject = $1 AND ended_at IS NULL AND expires_at > $2
        ORDER BY 1 DESC, 2
        """

    /// Grows with every end, whatever the clocks of two nodes say: tokens remember after which one they were issued.
    static let voidLoginTokens: SQLStatement = """
        UPDATE app_user SET login_tokens_void_until =
            CASE WHEN login_tokens_void_until >= $2 THEN login_tokens_void_until + 1 ELSE $2 END
        WHERE subject = $1
        """

    /// What was granted in one browser's session goes on under the one that took its place; where it was granted stays
    /// known.
    static let moveCodes: SQLStatement = """
        UPDATE authorization_code SET browser_session_id = $2, granted_in = COALESCE(granted_in, browser_session_id)
        WHERE browser_session_id = $1 AND redeemed_at IS NULL
        """
    static let moveAppSessions: SQLStatement = """
        UPDATE app_session SET browser_session_id = $2, granted_in = COALESCE(granted_in, browser_session_id)
        WHERE browser_session_id = $1 AND ended_at IS NULL
        """
}
