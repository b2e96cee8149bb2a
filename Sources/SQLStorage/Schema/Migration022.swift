extension Migration {
    /// Keys of phones that stand for users, and sign-ins that wait for a phone.
    static let linkedKeys = Migration(version: 22, name: "keys of phones, sign-ins that wait for one") { dialect in
        let text = dialect.text
        return [
            // Rows stay when they are unlinked: a key that was given up is not taken again.
            SQLStatement(
                """
                CREATE TABLE linked_key (
                    thumbprint \(text) NOT NULL PRIMARY KEY, subject \(text) NOT NULL, algorithm \(text) NOT NULL,
                    origin \(text) NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT,
                    revoked_at BIGINT)\(dialect.clustered)
                """),
            "CREATE INDEX linked_key_subject ON linked_key (subject)",
            SQLStatement(
                """
                CREATE TABLE self_issued_transaction (
                    digest \(text) NOT NULL PRIMARY KEY, content \(text) NOT NULL,
                    expires_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE INDEX self_issued_transaction_expiry ON self_issued_transaction (expires_at)",
        ]
    }
}
