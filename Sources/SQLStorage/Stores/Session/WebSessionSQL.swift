/// The statements about web sessions.
enum WebSessionSQL {
    static let columns = """
        id, secret_digest, subject, client_id, app_client_id, parent_id, login_token_id, opening, auth_time, acr, amr, \
        created_at, expires_at, idle_lifetime, last_seen_at, ended_at, ancestry, scope, wants_logout_notice, \
        apps_above
        """

    /// Writes no row when the login token opened a session before; `$21` is when the token was issued.
    static let insert = SQLStatement(
        """
        INSERT INTO web_session (\(columns), login_token_issued_at, handed_from)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
        ON CONFLICT (login_token_issued_at, login_token_id) DO NOTHING
        """)

    static let selectBySecret = SQLStatement("SELECT \(columns) FROM web_session WHERE secret_digest = $1")
    static let selectByID = SQLStatement("SELECT \(columns) FROM web_session WHERE id = $1")

    static let listOf = SQLStatement(
        "SELECT \(columns) FROM web_session WHERE subject = $1 ORDER BY created_at DESC, id DESC LIMIT $2")
    static let listOfBefore = SQLStatement(
        """
        SELECT \(columns) FROM web_session
        WHERE subject = $1 AND (created_at, id) < (SELECT created_at, id FROM web_session WHERE id = $3)
        ORDER BY created_at DESC, id DESC LIMIT $2
        """)

    /// ``WebSession/isAlive(at:)`` of what is called `$2`.
    static let isAlive = "ended_at IS NULL AND expires_at > $2 AND last_seen_at + idle_lifetime > $2"

    static let aliveOf = SQLStatement(
        """
        SELECT \(columns) FROM web_session WHERE subject = $1 AND \(isAlive)
        ORDER BY created_at DESC, id DESC LIMIT $3
        """)

    /// What a device's secret opened at a website and lives, but for the `$4` that were used last. Few rows: those of
    /// one device's apps that have not expired, which exchanges are limited to.
    static let aliveBeyond = SQLStatement(
        """
        SELECT id FROM web_session
        WHERE parent_id IN (SELECT id FROM app_session WHERE device_secret_id = $1)
            AND client_id = $3 AND opening = 'token_exchange' AND \(isAlive)
        ORDER BY last_seen_at DESC, created_at DESC, id DESC LIMIT 1000 OFFSET $4
        """)

    /// From an index of only those that were not ended: most end long before they expire.
    static let countLive: SQLStatement = """
        SELECT count(*) FROM web_session WHERE expires_at > $1 AND ended_at IS NULL
        """

    static let openedBy: SQLStatement = """
        SELECT id, created_at FROM web_session WHERE login_token_issued_at = $1 AND login_token_id = $2
        """

    static let touch: SQLStatement = """
        UPDATE web_session SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2 AND ended_at IS NULL
        """

    static let endedAt: SQLStatement = "SELECT ended_at FROM web_session WHERE id = $1"

    /// Those that were ended, and those that were not: each has an index by expiry (``Migration/sessionExpiry``).
    static let purges = ["ended_at IS NOT NULL", "ended_at IS NULL"].map {
        ExpiredRows(of: "web_session", by: "id", where: $0)
    }
}
