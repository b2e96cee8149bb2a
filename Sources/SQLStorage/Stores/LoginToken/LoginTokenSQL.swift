/// The statements about login tokens.
///
/// `state` is the arbiter of single use: a token leaves `pending` in one statement, and only one call has that
/// statement change a row.
enum LoginTokenSQL {
    static let issue: SQLStatement = """
        INSERT INTO login_token_use
            (token_id, subject, client_id, issued_at, expires_at, scope, issuing_session_id, state, misses,
            issued_after_end)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0,
            (SELECT login_tokens_void_until FROM app_user WHERE subject = $2))
        """

    /// What the bearer had that a token was issued with, and its session.
    static let issuingSession = SQLStatement(
        """
        SELECT t.scope, \(AppSessionSQL.columns.split(separator: ", ").map { "s.\($0)" }.joined(separator: ", "))
        FROM app_session s LEFT JOIN login_token_use t ON t.token_id = $2 WHERE s.id = $1
        """)

    /// The common way: the issue is on record.
    static let redeem: SQLStatement = """
        UPDATE login_token_use SET state = 'redeemed', used_at = $2, session_id = $3, address = $4, agent_digest = $5
        WHERE token_id = $1 AND state = 'pending'
        """

    /// The other way: it is not. Writes nothing when there is a row after all.
    static let redeemUnrecorded: SQLStatement = """
        INSERT INTO login_token_use
            (token_id, subject, client_id, issued_at, expires_at, state, misses, used_at, session_id, address,
            agent_digest)
        VALUES ($1, $2, $3, $4, $5, 'redeemed', 0, $6, $7, $8, $9)
        ON CONFLICT (token_id) DO NOTHING
        """

    static let revoke: SQLStatement = """
        INSERT INTO login_token_use (token_id, subject, client_id, issued_at, expires_at, state, misses, used_at)
        VALUES ($1, $2, $3, $4, $5, 'revoked', 0, $6)
        ON CONFLICT (token_id) DO UPDATE SET state = 'revoked', used_at = excluded.used_at
        WHERE login_token_use.state = 'pending'
        RETURNING token_id
        """

    /// What an app was issued for a user with another issuer's bearers: in its session `$4`, or in any. Not what a
    /// session of ours stands for, nor what an end of the user has made void.
    ///
    /// Found among what has not expired, which is a minute's tokens: an index of users would cost one more write for
    /// each that is issued.
    static let revokeOfApp: SQLStatement = """
        UPDATE login_token_use SET state = 'revoked', used_at = $3
        WHERE expires_at > $3 AND subject = $1 AND client_id = $2 AND state = 'pending'
            AND (CAST($4 AS TEXT) IS NULL OR issuing_session_id = $4)
            AND COALESCE(issued_after_end, 0) >= COALESCE(
                (SELECT u.login_tokens_void_until FROM app_user u WHERE u.subject = $1), 0)
            AND NOT EXISTS (SELECT a.id FROM app_session a WHERE a.id = login_token_use.issuing_session_id)
            AND NOT EXISTS (SELECT w.id FROM web_session w WHERE w.id = login_token_use.issuing_session_id)
        """

    /// `$6` and `$7` are what the first miss leads to, `$8` the limit, `$9` the time. No row comes back for a token
    /// that is over: there is nothing left to count.
    static let recordMiss: SQLStatement = """
        INSERT INTO login_token_use (token_id, subject, client_id, issued_at, expires_at, state, misses, used_at)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7)
        ON CONFLICT (token_id) DO UPDATE SET misses = login_token_use.misses + 1,
            state = CASE WHEN login_token_use.misses + 1 >= $8 THEN 'revoked' ELSE login_token_use.state END,
            used_at = CASE WHEN login_token_use.misses + 1 >= $8 THEN $9 ELSE login_token_use.used_at END
        WHERE login_token_use.state = 'pending'
        RETURNING misses, state
        """

    /// Whether its user is disabled, and when the user's tokens were ended since a token was issued. That is told by
    /// which of the user's ends it was issued after, not by the clocks of two nodes; only where its issue is not on
    /// record, by `$3`, its time.
    static let standing: SQLStatement = """
        SELECT disabled_at, CASE WHEN login_tokens_void_until > COALESCE(
                (SELECT COALESCE(issued_after_end, 0) FROM login_token_use WHERE token_id = $2), CAST($3 AS BIGINT) - 1)
            THEN login_tokens_void_until END
        FROM app_user WHERE subject = $1
        """

    /// A pending token whose user's tokens were ended since it was issued is as good as revoked.
    static let select: SQLStatement = """
        SELECT t.token_id, t.subject, t.client_id, t.issued_at, t.expires_at,
            CASE WHEN t.state = 'pending' AND u.login_tokens_void_until > COALESCE(t.issued_after_end, 0)
                THEN 'revoked' ELSE t.state END,
            t.misses, CASE WHEN t.state = 'pending' THEN u.login_tokens_void_until ELSE t.used_at END,
            t.session_id, t.address, t.agent_digest, t.issuing_session_id
        FROM login_token_use t LEFT JOIN app_user u ON u.subject = t.subject WHERE t.token_id = $1
        """

    static let purge = ExpiredRows(of: "login_token_use", by: "token_id")

    /// With a token that was revoked its key is free again; also where an end of its user has done so (``select``).
    private static let isOfRevokedToken = """
        EXISTS (SELECT 1 FROM login_token_use t LEFT JOIN app_user u ON u.subject = t.subject
            WHERE t.token_id = idempotency_key.token_id AND (t.state = 'revoked'
                OR t.state = 'pending' AND u.login_tokens_void_until > COALESCE(t.issued_after_end, 0)))
        """

    static let claimKey = SQLStatement(
        """
        INSERT INTO idempotency_key (key_digest, fingerprint, token_id, signing_key_id, payload, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (key_digest) DO UPDATE SET fingerprint = excluded.fingerprint, token_id = excluded.token_id,
            signing_key_id = excluded.signing_key_id, payload = excluded.payload, expires_at = excluded.expires_at
        WHERE idempotency_key.expires_at <= $7 OR \(isOfRevokedToken)
        """)

    /// What stands in the way of ``claimKey``; a moment later its token may have been revoked.
    static let selectKey: SQLStatement = """
        SELECT key_digest, fingerprint, token_id, signing_key_id, payload, expires_at
        FROM idempotency_key WHERE key_digest = $1
        """

    /// Not that of a token that was revoked.
    static let selectUsableKey = SQLStatement("\(selectKey.text) AND NOT \(isOfRevokedToken)")

    static let purgeKeys = ExpiredRows(of: "idempotency_key", by: "key_digest")
}
