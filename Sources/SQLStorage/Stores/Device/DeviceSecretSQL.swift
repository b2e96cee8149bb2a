/// The statements about device secrets.
///
/// Every verb first writes the device's own row, so that verbs about one device take turns on both engines.
enum DeviceSecretSQL {
    private static let columns = """
        id, subject, client_id, session_id, name, platform, created_at, last_used_at, use_count, expires_at, \
        key_thumbprint, revoked_at, revoke_reason
        """

    static let insert = SQLStatement(
        """
        INSERT INTO device_secret (\(columns))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """)

    static let select = SQLStatement("SELECT \(columns) FROM device_secret WHERE id = $1")

    /// The device's columns, then those of the digest.
    static let selectByDigest = SQLStatement(
        """
        SELECT d.\(columns.split(separator: ", ").joined(separator: ", d.")), v.replaced_at, v.overlap_used_at
        FROM device_secret_digest v JOIN device_secret d ON d.id = v.device_secret_id WHERE v.digest = $1
        """)

    static let listLive = SQLStatement(
        """
        SELECT \(columns) FROM device_secret WHERE subject = $1 AND revoked_at IS NULL AND expires_at > $2
        ORDER BY created_at DESC, id DESC
        """)

    static let listAll = SQLStatement(
        "SELECT \(columns) FROM device_secret WHERE subject = $1 ORDER BY created_at DESC, id DESC")

    /// Those on which no app is signed in first: each sign-in of an app that keeps no secret over its sign-out is
    /// another device. Then the one that was used longest ago; one that was never used counts from its making. The
    /// second column is 1 where an app is signed in, other than the session `$3`, which is about to leave; the third is
    /// whose device it is.
    static let liveByUse = SQLStatement(
        """
        SELECT id, CASE WHEN EXISTS
                (SELECT 1 FROM app_session s
                 WHERE s.device_secret_id = device_secret.id AND \(AppSessionSQL.isAlive(at: "$2", of: "s"))
                    AND s.id <> $3)
            THEN 1 ELSE 0 END AS is_signed_in, client_id
        FROM device_secret WHERE subject = $1 AND revoked_at IS NULL AND expires_at > $2
        ORDER BY 2, COALESCE(last_used_at, created_at), id
        """)

    /// Changes the row, and so holds it, only while the device lives. By one of its digests, like ``sessionBelow``: a
    /// use knows no more beforehand.
    static let use: SQLStatement = """
        UPDATE device_secret SET last_used_at = $2, use_count = use_count + 1
        WHERE id = (SELECT device_secret_id FROM device_secret_digest WHERE digest = $1)
            AND revoked_at IS NULL AND expires_at > $2
        """

    /// Holds the row while the device lives, and notes that its app was heard of: one that refreshes and never
    /// exchanges is in use.
    static let hold: SQLStatement = """
        UPDATE device_secret SET last_used_at = $2 WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
        """

    /// Whether a device's user is disabled.
    static let ownerStanding: SQLStatement = """
        SELECT disabled_at FROM app_user WHERE subject = (SELECT subject FROM device_secret WHERE id = $1)
        """

    /// Holds the row of an app session's user.
    static let holdUserOf: SQLStatement = """
        UPDATE app_user SET issuer = issuer WHERE subject = (SELECT subject FROM app_session WHERE id = $1)
        """

    /// The user's live devices that were given a secret in an app session or in a descendant, over or not; with that
    /// session, and whether it is the one of their first secret. Upwards from the secrets, of which a user has few, and
    /// each session has one parent. What is above is looked up and not joined: PostgreSQL, which expects many secrets,
    /// would read all sessions for a join.
    static let givenBelow: SQLStatement = """
        SELECT device_id, given_in, is_first FROM (
            WITH RECURSIVE given (device_id, given_in, is_first, above) AS (
                SELECT d.id, COALESCE(v.session_id, d.session_id),
                    CASE WHEN COALESCE(v.session_id, d.session_id) = d.session_id THEN 1 ELSE 0 END,
                    COALESCE(v.session_id, d.session_id)
                FROM device_secret d JOIN device_secret_digest v ON v.device_secret_id = d.id
                WHERE d.subject = (SELECT subject FROM app_session WHERE id = $1)
                    AND d.revoked_at IS NULL AND d.expires_at > $2
                UNION
                SELECT g.device_id, g.given_in, g.is_first, COALESCE(
                    (SELECT COALESCE(a.parent_id, a.granted_in, a.browser_session_id)
                     FROM app_session a WHERE a.id = g.above),
                    (SELECT COALESCE(w.handed_from, w.parent_id) FROM web_session w WHERE w.id = g.above))
                FROM given g WHERE g.above <> $1)
            SELECT * FROM given) AS found
        WHERE above = $1 ORDER BY device_id, given_in
        """

    /// Holds the row while the device lives, and changes nothing.
    static let holdLive: SQLStatement = """
        UPDATE device_secret SET use_count = use_count WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
        """

    /// Takes back what refreshes gave out in an app session, and what it was rotated into.
    static let takeBack: SQLStatement = """
        DELETE FROM device_secret_digest WHERE device_secret_id = $1 AND session_id = $2
        """

    static let revoke: SQLStatement = """
        UPDATE device_secret SET revoked_at = $2, revoke_reason = $3 WHERE id = $1 AND revoked_at IS NULL
        """

    static let insertDigest: SQLStatement = """
        INSERT INTO device_secret_digest (digest, device_secret_id, issued_at) VALUES ($1, $2, $3)
        """

    /// A further secret besides the device's first one, with the session in which a refresh gave it out.
    static let insertAnother: SQLStatement = """
        INSERT INTO device_secret_digest (digest, device_secret_id, issued_at, session_id) VALUES ($1, $2, $3, $4)
        """

    /// A secret in the place of `$4`.
    static let insertSuccessor: SQLStatement = """
        INSERT INTO device_secret_digest (digest, device_secret_id, issued_at, session_id)
        SELECT $1, $2, $3, session_id FROM device_secret_digest WHERE digest = $4
        """

    /// `$2` is now; changes a row for the one call that replaces the current secret.
    static let replace: SQLStatement = """
        UPDATE device_secret_digest SET replaced_at = $2 WHERE digest = $1 AND replaced_at IS NULL
        """

    /// Replaces what `$3` was rotated into. A device has several lines of secrets: its first one's, and one for each
    /// session in which refreshes gave out others; what one app rotates leaves alone what another keeps. Secrets from
    /// before step 44 all count to the first line.
    static let replaceSiblings: SQLStatement = """
        UPDATE device_secret_digest SET replaced_at = $2 WHERE device_secret_id = $1 AND replaced_at IS NULL
            AND COALESCE(session_id, '') = (SELECT COALESCE(session_id, '') FROM device_secret_digest WHERE digest = $3)
        """

    /// `$3` is the earliest replacement whose overlap still runs.
    static let spendOverlap: SQLStatement = """
        UPDATE device_secret_digest SET overlap_used_at = $2
        WHERE digest = $1 AND overlap_used_at IS NULL AND replaced_at >= $3
        """

    static let attach: SQLStatement = """
        UPDATE app_session SET device_secret_id = $2 WHERE id = $1 AND ended_at IS NULL
        """

    static let sessionBelow = SQLStatement(
        """
        SELECT id FROM app_session
        WHERE id = $1 AND device_secret_id = (SELECT device_secret_id FROM device_secret_digest WHERE digest = $2)
            AND \(AppSessionSQL.isAlive(at: "$3"))
        """)

    static let liveSession = SQLStatement(
        """
        SELECT id FROM app_session
        WHERE id = $1 AND device_secret_id = $2 AND \(AppSessionSQL.isAlive(at: "$3"))
        """)

    /// The current secrets that refreshes gave out, but the `$2` youngest: an app that never stored a newer one still
    /// has the first, or what that was rotated into; one that stores each has the last.
    static let dropOlder: SQLStatement = """
        DELETE FROM device_secret_digest WHERE digest IN
            (SELECT digest FROM device_secret_digest
             WHERE device_secret_id = $1 AND replaced_at IS NULL AND session_id IS NOT NULL
             ORDER BY issued_at DESC, digest LIMIT 1000 OFFSET $2)
        """
}

/// What a purge does (``ExpiredDevices``).
extension DeviceSecretSQL {
    /// When the device expired that comes `$3` devices later than the first of those that expired at `$1` or later, and
    /// before `$2`.
    static let laterExpiry: SQLStatement = """
        SELECT expires_at FROM device_secret WHERE expires_at >= $1 AND expires_at < $2
        ORDER BY expires_at LIMIT 1 OFFSET $3
        """

    /// Whether no app session is below a device but such as ended, or expired before a time. Looked up for each, and
    /// not joined: PostgreSQL might read all sessions for that.
    private static func isIdle(at time: String) -> String {
        """
        (SELECT s.id FROM app_session s
            WHERE s.device_secret_id = device_secret.id AND s.ended_at IS NULL AND s.expires_at >= \(time)
            LIMIT 1) IS NULL
        """
    }

    /// The devices that expired at `$1` or later, and before `$2`, and below which no app was signed in at `$3`.
    static let idle = SQLStatement(
        """
        SELECT id, expires_at FROM device_secret WHERE expires_at >= $1 AND expires_at < $2 AND \(isIdle(at: "$3"))
        ORDER BY expires_at, id LIMIT $4
        """)

    static let purge = SQLStatement("DELETE FROM device_secret WHERE id = $1 AND \(isIdle(at: "$2"))")
    /// The digests of a removed device: whichever rows another node's purge took meanwhile, no secret is left without
    /// its device.
    static let purgeDigests: SQLStatement = """
        DELETE FROM device_secret_digest
        WHERE device_secret_id = $1 AND NOT EXISTS (SELECT 1 FROM device_secret WHERE id = $1)
        """
}
