/// The statements about authorization codes.
enum AuthorizationCodeSQL {
    static let insert: SQLStatement = """
        INSERT INTO authorization_code (digest, client_id, redirect_uri, code_challenge, nonce, scope, subject,
            auth_time, acr, amr, browser_session_id, requested_claims, proof_key, issued_at, expires_at, misses)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)
        """

    static let select: SQLStatement = """
        SELECT digest, client_id, redirect_uri, code_challenge, nonce, scope, subject, auth_time, acr, amr,
            browser_session_id, requested_claims, proof_key, issued_at, expires_at, misses, redeemed_at, session_id, granted_in
        FROM authorization_code WHERE digest = $1
        """

    /// The arbiter of single use.
    static let redeem: SQLStatement = """
        UPDATE authorization_code SET redeemed_at = $2, session_id = $3
        WHERE digest = $1 AND redeemed_at IS NULL AND expires_at > $2
        """

    static let use: SQLStatement = "SELECT redeemed_at, session_id FROM authorization_code WHERE digest = $1"

    static let recordMiss: SQLStatement = """
        UPDATE authorization_code SET misses = misses + 1 WHERE digest = $1 AND redeemed_at IS NULL
        """

    static let deleteMissed: SQLStatement = """
        DELETE FROM authorization_code WHERE digest = $1 AND redeemed_at IS NULL AND misses >= $2
        """

    /// Where what it opens goes on.
    static let browserSession: SQLStatement = "SELECT browser_session_id FROM authorization_code WHERE digest = $1"

    static let purge: SQLStatement = """
        DELETE FROM authorization_code WHERE digest IN
            (SELECT digest FROM authorization_code WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        RETURNING digest
        """
}
