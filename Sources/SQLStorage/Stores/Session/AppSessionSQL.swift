/// The statements about app sessions.
enum AppSessionSQL {
    static let columns = """
        id, subject, client_id, scope, opening, auth_time, acr, amr, browser_session_id, device_secret_id, parent_id, \
        requested_claims, wants_logout_notice, created_at, expires_at, ended_at, granted_in, ancestry
        """

    static let insert = SQLStatement(
        """
        INSERT INTO app_session (\(columns))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
        """)

    static let select = SQLStatement("SELECT \(columns) FROM app_session WHERE id = $1")
    static let endedAt: SQLStatement = "SELECT ended_at FROM app_session WHERE id = $1"

    static let aliveOf = SQLStatement(
        """
        SELECT \(columns) FROM app_session WHERE subject = $1 AND ended_at IS NULL AND expires_at > $2
        ORDER BY created_at DESC, id LIMIT $3
        """)

    static let idsUnderDeviceSecret: SQLStatement = """
        SELECT id FROM app_session WHERE device_secret_id = $1 AND ended_at IS NULL ORDER BY id
        """

    static let purge: SQLStatement = """
        DELETE FROM app_session WHERE id IN
            (SELECT id FROM app_session WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        RETURNING id
        """
}
