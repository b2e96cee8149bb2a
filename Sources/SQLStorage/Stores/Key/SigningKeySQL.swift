/// The statements about the keys that sign tokens.
enum SigningKeySQL {
    static let all: SQLStatement = """
        SELECT id, algorithm, sealed_key, public_key, created_at, signs_from, signs_when_known, retires_at,
            withdrawn_at, added_in
        FROM signing_key ORDER BY created_at, id
        """

    static let number: SQLStatement = "SELECT number FROM signing_key_change"

    /// The first change, where nobody made one before.
    static let claimFirst: SQLStatement = """
        INSERT INTO signing_key_change (id, number) VALUES (1, 1) ON CONFLICT (id) DO NOTHING
        """

    /// The change after `$1`, where nobody else made it. Whoever comes at the same time waits, and then loses.
    static let claimNext: SQLStatement = "UPDATE signing_key_change SET number = number + 1 WHERE number = $1"

    /// Of a key that is there its times alone change.
    static let save: SQLStatement = """
        INSERT INTO signing_key (id, algorithm, sealed_key, public_key, created_at, signs_from, signs_when_known,
            retires_at, withdrawn_at, added_in)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (id) DO UPDATE SET signs_from = excluded.signs_from, signs_when_known = excluded.signs_when_known,
            retires_at = excluded.retires_at, withdrawn_at = excluded.withdrawn_at
        """

    static let remove: SQLStatement = "DELETE FROM signing_key WHERE id = $1"

    static let note: SQLStatement = """
        INSERT INTO signing_key_holder (node, number, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (node) DO UPDATE SET number = excluded.number, seen_at = excluded.seen_at
        """

    static let forget: SQLStatement = "DELETE FROM signing_key_holder WHERE node = $1"

    static let notedSince: SQLStatement = "SELECT node, number FROM signing_key_holder WHERE seen_at >= $1"
}
