/// The statements about users.
enum SubjectSQL {
    static let standing: SQLStatement = "SELECT disabled_at FROM app_user WHERE subject = $1"

    static let insert: SQLStatement = """
        INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ($1, $2, $3) ON CONFLICT (subject) DO NOTHING
        """

    static let disable: SQLStatement = """
        UPDATE app_user SET disabled_at = $2 WHERE subject = $1 AND disabled_at IS NULL RETURNING subject
        """

    static let enable: SQLStatement = """
        UPDATE app_user SET disabled_at = NULL WHERE subject = $1 AND disabled_at IS NOT NULL RETURNING subject
        """

    /// The last column is NULL for a user without an account.
    static let selectOne: SQLStatement = """
        SELECT app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at, account.subject
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject WHERE app_user.subject = $1
        """

    /// The columns of ``selectOne`` behind those of an account, which are NULL for a user without one.
    private static let users = """
        SELECT \(AccountSQL.columns), app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject
        """

    static let list = SQLStatement("\(users) ORDER BY app_user.subject LIMIT $1")
    static let listAfter = SQLStatement("\(users) WHERE app_user.subject > $1 ORDER BY app_user.subject LIMIT $2")
}
