extension Migration {
    /// What becomes of an approval is in `authorization_code`, under the same digest.
    static let deviceAuthorizations = Migration(version: 24, name: "devices that wait for their user") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE device_authorization (
                    digest \(text) NOT NULL PRIMARY KEY, user_code \(text) NOT NULL, client_id \(text) NOT NULL,
                    scope \(text) NOT NULL, network \(text), created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                    decision \(text) NOT NULL, poll_interval BIGINT NOT NULL, next_poll_at BIGINT NOT NULL,
                    polled_too_soon BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE UNIQUE INDEX device_authorization_user_code ON device_authorization (user_code)",
            "CREATE INDEX device_authorization_expiry ON device_authorization (expires_at)",
        ]
    }
}
