extension Migration {
    static let deviceSecrets = Migration(version: 4, name: "device secrets, settings, refresh cookies") {
        dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE device_secret (
                    id \(text) NOT NULL PRIMARY KEY, subject \(text) NOT NULL, client_id \(text) NOT NULL,
                    session_id \(text) NOT NULL, name \(text), platform \(text), created_at BIGINT NOT NULL,
                    last_used_at BIGINT, use_count BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                    key_thumbprint \(text), revoked_at BIGINT, revoke_reason \(text))
                """),
            "CREATE INDEX device_secret_subject ON device_secret (subject)",
            "CREATE INDEX device_secret_expiry ON device_secret (expires_at)",
            // Every secret that a device ever had, so that one that was rotated away is known when it comes back.
            SQLStatement(
                """
                CREATE TABLE device_secret_digest (
                    digest \(text) NOT NULL PRIMARY KEY, device_secret_id \(text) NOT NULL, issued_at BIGINT NOT NULL,
                    replaced_at BIGINT, overlap_used_at BIGINT)
                """),
            "CREATE INDEX device_secret_digest_device ON device_secret_digest (device_secret_id)",
            SQLStatement(
                """
                CREATE TABLE setting (
                    name \(text) NOT NULL PRIMARY KEY, value \(text) NOT NULL, updated_at BIGINT NOT NULL)
                """),
            // The refresh cookies of a web session, the used ones too: each knows which one it came from.
            SQLStatement(
                """
                CREATE TABLE web_session_refresh (
                    digest \(text) NOT NULL PRIMARY KEY, session_id \(text) NOT NULL, parent_digest \(text),
                    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT, is_void BIGINT NOT NULL)
                """),
            "CREATE INDEX web_session_refresh_session ON web_session_refresh (session_id)",
            "CREATE INDEX web_session_refresh_expiry ON web_session_refresh (expires_at)",
        ]
    }
}
