/// The statements about refresh tokens.
enum RefreshTokenSQL {
    static let insert: SQLStatement = """
        INSERT INTO refresh_token (digest, session_id, scope, proof_key, issued_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        """

    static let select = SQLStatement(
        """
        SELECT t.digest, t.session_id, t.scope, t.proof_key, t.issued_at, t.expires_at, t.rotated_at,
            t.successor_digest, n.rotated_at,
            \(AppSessionSQL.columns.split(separator: ", ").map { "s.\($0)" }.joined(separator: ", "))
        FROM refresh_token t JOIN app_session s ON s.id = t.session_id
            LEFT JOIN refresh_token n ON n.digest = t.successor_digest
        WHERE t.digest = $1
        """)

    /// The arbiter: one call has it change a row.
    static let rotate: SQLStatement = """
        UPDATE refresh_token SET rotated_at = $2, successor_digest = $3
        WHERE digest = $1 AND rotated_at IS NULL AND expires_at > $2 AND EXISTS
            (SELECT 1 FROM app_session s WHERE s.id = session_id AND s.ended_at IS NULL AND s.expires_at > $2)
        """

    static let extend: SQLStatement = """
        UPDATE refresh_token SET expires_at = $3
        WHERE digest = $1 AND rotated_at IS NULL AND expires_at > $2 AND EXISTS
            (SELECT 1 FROM app_session s WHERE s.id = session_id AND s.ended_at IS NULL AND s.expires_at > $2)
        """

    static let purge: SQLStatement = """
        DELETE FROM refresh_token WHERE digest IN
            (SELECT digest FROM refresh_token WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        """
}
