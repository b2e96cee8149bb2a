extension Migration {
    /// The keys of login tokens live in `signing_key` too, beside the provider's, as rows of the algorithm HS256.
    static let sharedKeys = Migration(version: 13, name: "login token keys, keys of several nodes") { dialect in
        let text = dialect.text
        return [
            "ALTER TABLE signing_key ADD COLUMN signs_when_known BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE signing_key ADD COLUMN withdrawn_at BIGINT",
            "ALTER TABLE signing_key ADD COLUMN added_in BIGINT NOT NULL DEFAULT 0",
            // One row after the first change; a change of the keys changes it first, so changes take turns.
            SQLStatement(
                """
                CREATE TABLE signing_key_change (
                    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL)
                """),
            SQLStatement(
                """
                CREATE TABLE signing_key_holder (
                    node \(text) NOT NULL PRIMARY KEY, number BIGINT NOT NULL, seen_at BIGINT NOT NULL)
                """),
            // Their numbers decide now which of several nodes is the first.
            "DROP TABLE first_signing_key",
            // A demo's keys are in its database now; this one was there unsealed.
            "DELETE FROM demo_material WHERE name = 'login-token-keys.json'",
        ]
    }
}
