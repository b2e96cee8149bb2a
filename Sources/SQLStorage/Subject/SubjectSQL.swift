/// The statements about users.
enum SubjectSQL {
    static let disabledAt: SQLStatement = "SELECT disabled_at FROM app_user WHERE subject = $1"

    static let insert: SQLStatement = """
        INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ($1, $2, $3) ON CONFLICT (subject) DO NOTHING
        """

    static let disable: SQLStatement = """
        UPDATE app_user SET disabled_at = $2 WHERE subject = $1 AND disabled_at IS NULL RETURNING subject
        """

    static let enable: SQLStatement = """
        UPDATE app_user SET disabled_at = NULL WHERE subject = $1 AND disabled_at IS NOT NULL RETURNING subject
        """

    static let selectOne: SQLStatement = """
        SELECT subject, issuer, first_seen_at, disabled_at FROM app_user WHERE subject = $1
        """

    static let list: SQLStatement = """
        SELECT subject, issuer, first_seen_at, disabled_at FROM app_user ORDER BY subject LIMIT $1
        """

    static let listAfter: SQLStatement = """
        SELECT subject, issuer, first_seen_at, disabled_at FROM app_user WHERE subject > $1 ORDER BY subject LIMIT $2
        """
}
