import Bridge

/// The statements about accounts.
enum AccountSQL {
    /// What `Account.init(row:)` reads, from the first column on.
    static let columns = """
        account.subject, account.username, account.display_name, account.email, account.password_hash, account.role, \
        account.second_factor, account.second_factor_step, account.created_at, account.password_changed_at, \
        app_user.disabled_at, account.claims, account.claims_changed_at, \(everythingEndedAt), \(lastEnd)
        """

    /// ``Account/lastEnd``.
    static let lastEnd = "COALESCE(app_user.login_tokens_void_until, 0)"

    /// When everything of a user ended last: the last of the user's ends, unless that was one of what was unused alone
    /// (``Migration/endsOfEverything``).
    static let everythingEndedAt = """
        CASE WHEN app_user.login_tokens_void_until = app_user.app_ended_at THEN app_user.everything_ended_at \
        ELSE app_user.login_tokens_void_until END
        """

    private static let source = "account JOIN app_user ON app_user.subject = account.subject"

    static let byUsername = SQLStatement("SELECT \(columns) FROM \(source) WHERE account.username_key = $1")
    static let bySubject = SQLStatement("SELECT \(columns) FROM \(source) WHERE account.subject = $1")
    static let bySubjectOfLink = SQLStatement(
        """
        SELECT \(columns) FROM \(source) WHERE account.subject = $1
            AND NOT EXISTS (SELECT 1 FROM restore_point WHERE restored_at >= $2)
        """)
    static let byIdentity = SQLStatement(
        """
        SELECT \(columns) FROM \(source) JOIN upstream_identity ON upstream_identity.subject = account.subject
        WHERE upstream_identity.issuer = $1 AND upstream_identity.external_subject = $2
        """)

    /// Looks at all accounts after `$1`, for commands alone.
    static let withSecondFactor = SQLStatement(
        """
        SELECT \(columns) FROM \(source) WHERE account.subject > $1 AND account.second_factor IS NOT NULL
        ORDER BY account.subject LIMIT $2
        """, isRecurring: false)

    static let any: SQLStatement = "SELECT subject FROM account LIMIT 1"

    static let insert: SQLStatement = """
        INSERT INTO account (subject, username, username_key, display_name, email, password_hash, role, second_factor,
            second_factor_step, created_at, password_changed_at, claims, claims_changed_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT DO NOTHING
        """

    static let subjectExists: SQLStatement = "SELECT subject FROM account WHERE subject = $1"

    static let link: SQLStatement = """
        INSERT INTO upstream_identity (issuer, external_subject, subject, linked_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING
        """

    static let setPassword: SQLStatement = """
        UPDATE account SET password_hash = $2, password_changed_at = $3 WHERE subject = $1
        """

    /// `$5` is since when the database must not have been restored; nothing where that does not matter.
    static let replacePassword: SQLStatement = """
        UPDATE account SET password_hash = $2, password_changed_at = $3
        WHERE subject = $1 AND password_changed_at = $4
            AND NOT EXISTS (SELECT 1 FROM restore_point WHERE restored_at >= $5)
        """

    /// Changes nothing, and holds a user for whom everything ended last at `$2`, and who is not disabled.
    static let holdStanding = SQLStatement(
        """
        UPDATE app_user SET subject = subject
        WHERE subject = $1 AND disabled_at IS NULL
            AND COALESCE(\(everythingEndedAt), 0) = COALESCE(CAST($2 AS BIGINT), 0)
        """)

    /// Changes nothing, and holds an account against changes at the same time.
    static let hold: SQLStatement = "UPDATE account SET role = role WHERE subject = $1"

    static let setNames: SQLStatement = """
        UPDATE account SET username = $2, username_key = $3, display_name = $4, email = $5
        WHERE subject = $1 AND NOT EXISTS (
            SELECT other.subject FROM account AS other WHERE other.username_key = $3 AND other.subject <> $1)
        """

    static let identities: SQLStatement = """
        SELECT issuer, external_subject FROM upstream_identity WHERE subject = $1 ORDER BY issuer, external_subject
        """

    static let passwordSetAt: SQLStatement = "SELECT password_changed_at FROM account WHERE subject = $1"

    static let rehash: SQLStatement = """
        UPDATE account SET password_hash = $3 WHERE subject = $1 AND password_hash = $2
        """

    /// Changes a row only where the claims are others.
    static let setClaims: SQLStatement = """
        UPDATE account SET claims = $2, claims_changed_at = $3
        WHERE subject = $1 AND COALESCE(claims, '') <> COALESCE($2, '')
        """

    static let setRole: SQLStatement = """
        UPDATE account SET role = $2 WHERE subject = $1 AND COALESCE(role, '') <> COALESCE($2, '')
        """

    /// Changes nothing, and holds every administrator, and the user who is to be changed, against changes at the same
    /// time: when two each leave the other's administrator, the second sees what the first did.
    static let holdAdministrators: SQLStatement = """
        UPDATE account SET role = role WHERE role = 'admin' OR subject = $1
        """
    static let administrator: SQLStatement = "SELECT subject FROM account WHERE subject = $1 AND role = 'admin'"
    private static let administering = "\(source) WHERE account.role = 'admin' AND app_user.disabled_at IS NULL"
    static let enabledAdministrators = SQLStatement("SELECT account.subject FROM \(administering) LIMIT 2")

    /// Those of ``enabledAdministrators`` that have something to sign in with: a role that waits for its user to follow
    /// a set-up link lets nobody in.
    static let ableAdministrators = SQLStatement(
        """
        SELECT account.subject FROM \(administering)
            AND (account.password_hash IS NOT NULL
                OR EXISTS (SELECT 1 FROM upstream_identity WHERE upstream_identity.subject = account.subject)
                OR EXISTS (SELECT 1 FROM passkey WHERE passkey.subject = account.subject)
                OR EXISTS (SELECT 1 FROM linked_key
                    WHERE linked_key.subject = account.subject AND linked_key.revoked_at IS NULL))
        LIMIT 2
        """)

    static let replaceSecondFactor: SQLStatement = """
        UPDATE account SET second_factor = $2, second_factor_step = $3
        WHERE subject = $1 AND password_hash IS NOT NULL
        """

    static let addSecondFactor: SQLStatement = """
        UPDATE account SET second_factor = $2, second_factor_step = $3 WHERE subject = $1 AND second_factor IS NULL
        """

    static let removeSecondFactor: SQLStatement = """
        UPDATE account SET second_factor = NULL, second_factor_step = NULL
        WHERE subject = $1 AND second_factor IS NOT NULL
        """

    /// Changes nothing, and holds the account against a removal, and other uses of its recovery codes, at the same
    /// time.
    static let holdSecondFactor: SQLStatement = """
        UPDATE account SET second_factor = second_factor WHERE subject = $1 AND second_factor IS NOT NULL
        """

    /// A step from before the database was restored does not count, nor the one after it, which a clock slightly ahead
    /// may have shown: it may have been used. Asked at each claim, for a failover does not wait until every account is
    /// written.
    static let claimStep = SQLStatement(
        """
        UPDATE account SET second_factor_step = $2 WHERE subject = $1 AND second_factor_step < $2
            AND NOT EXISTS
                (SELECT 1 FROM restore_point WHERE restored_at / \(1000 * OneTimeCode.stepLength) + 1 >= $2)
        """)

    static let dropRecoveryCodes: SQLStatement = "DELETE FROM recovery_code WHERE subject = $1"
    static let addRecoveryCode: SQLStatement = "INSERT INTO recovery_code (subject, digest) VALUES ($1, $2)"
    static let unusedRecoveryCodes: SQLStatement = """
        SELECT COUNT(*) FROM recovery_code WHERE subject = $1 AND used_at IS NULL
        """
    static let claimRecoveryCode: SQLStatement = """
        UPDATE recovery_code SET used_at = $3 WHERE subject = $1 AND digest = $2 AND used_at IS NULL
        """
}
