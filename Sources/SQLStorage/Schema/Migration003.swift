extension Migration {
    /// Local accounts, and what happens between a user and an app before a code is issued.
    static let signIn = Migration(version: 3, name: "accounts, second factors, consent, pushed requests") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE account (
                    subject \(text) NOT NULL PRIMARY KEY, username \(text), username_key \(text) UNIQUE,
                    display_name \(text), email \(text), password_hash \(text), role \(text),
                    second_factor \(text), second_factor_step BIGINT, created_at BIGINT NOT NULL,
                    password_changed_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE recovery_code (
                    subject \(text) NOT NULL, digest \(text) NOT NULL, used_at BIGINT,
                    PRIMARY KEY (subject, digest))\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE upstream_identity (
                    issuer \(text) NOT NULL, external_subject \(text) NOT NULL, subject \(text) NOT NULL,
                    linked_at BIGINT NOT NULL, PRIMARY KEY (issuer, external_subject))\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE consent (
                    subject \(text) NOT NULL, client_id \(text) NOT NULL, scope \(text) NOT NULL,
                    granted_at BIGINT NOT NULL, PRIMARY KEY (subject, client_id))\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE pushed_request (
                    digest \(text) NOT NULL PRIMARY KEY, client_id \(text) NOT NULL, parameters \(text) NOT NULL,
                    expires_at BIGINT NOT NULL, used_at BIGINT)
                """),
            "CREATE INDEX pushed_request_expiry ON pushed_request (expires_at)",
        ]
    }
}
