/// The statements about the keys that sign tokens.
enum SigningKeySQL {
    static let all: SQLStatement = """
        SELECT id, algorithm, sealed_key, public_key, created_at, signs_from, retires_at FROM signing_key
        ORDER BY created_at, id
        """

    static let claimFirst: SQLStatement = """
        INSERT INTO first_signing_key (algorithm, key_id) VALUES ($1, $2) ON CONFLICT (algorithm) DO NOTHING
        """

    static let insert: SQLStatement = """
        INSERT INTO signing_key (id, algorithm, sealed_key, public_key, created_at, signs_from, retires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """

    /// Those of an algorithm that had no end yet.
    static let retireOthers: SQLStatement = """
        UPDATE signing_key SET retires_at = $3 WHERE algorithm = $2 AND id <> $1 AND retires_at IS NULL
        """

    static let purge: SQLStatement = "DELETE FROM signing_key WHERE retires_at < $1 RETURNING id"
}
