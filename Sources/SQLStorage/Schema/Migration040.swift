extension Migration {
    /// Passkeys, and the challenges that they answered.
    static let passkeys = Migration(version: 40, name: "passkeys") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE passkey (
                    mark \(text) NOT NULL PRIMARY KEY, subject \(text) NOT NULL, relying_party \(text) NOT NULL,
                    credential_id \(text) NOT NULL, algorithm \(text) NOT NULL, public_key \(text) NOT NULL,
                    user_handle \(text) NOT NULL, name \(text) NOT NULL, sign_count BIGINT NOT NULL,
                    created_at BIGINT NOT NULL, last_used_at BIGINT)\(dialect.clustered)
                """),
            "CREATE INDEX passkey_subject ON passkey (subject)",
            SQLStatement(
                """
                CREATE TABLE passkey_challenge (
                    digest \(text) NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE INDEX passkey_challenge_expiry ON passkey_challenge (expires_at)",
        ]
    }
}
