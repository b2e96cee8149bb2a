extension Migration {
    static let provider = Migration(version: 2, name: "codes, app sessions, refresh tokens, signing keys") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE authorization_code (
                    digest \(text) NOT NULL PRIMARY KEY, client_id \(text) NOT NULL, redirect_uri \(text) NOT NULL,
                    code_challenge \(text), nonce \(text), scope \(text) NOT NULL, subject \(text) NOT NULL,
                    auth_time BIGINT, acr \(text), amr \(text), browser_session_id \(text), requested_claims \(text),
                    proof_key \(text), issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, misses BIGINT NOT NULL,
                    redeemed_at BIGINT, session_id \(text))
                """),
            "CREATE INDEX authorization_code_expiry ON authorization_code (expires_at)",
            SQLStatement(
                """
                CREATE TABLE app_session (
                    id \(text) NOT NULL PRIMARY KEY, subject \(text) NOT NULL, client_id \(text) NOT NULL,
                    scope \(text) NOT NULL, opening \(text) NOT NULL, auth_time BIGINT, acr \(text), amr \(text),
                    browser_session_id \(text), device_secret_id \(text), parent_id \(text), requested_claims \(text),
                    wants_logout_notice BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                    ended_at BIGINT)
                """),
            "CREATE INDEX app_session_subject ON app_session (subject)",
            "CREATE INDEX app_session_expiry ON app_session (expires_at)",
            """
            CREATE INDEX app_session_browser ON app_session (browser_session_id) WHERE browser_session_id IS NOT NULL
            """,
            "CREATE INDEX app_session_device ON app_session (device_secret_id) WHERE device_secret_id IS NOT NULL",
            "CREATE INDEX app_session_parent ON app_session (parent_id) WHERE parent_id IS NOT NULL",
            "CREATE INDEX web_session_parent ON web_session (parent_id) WHERE parent_id IS NOT NULL",
            SQLStatement(
                """
                CREATE TABLE refresh_token (
                    digest \(text) NOT NULL PRIMARY KEY, session_id \(text) NOT NULL, scope \(text) NOT NULL,
                    proof_key \(text), issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, rotated_at BIGINT,
                    successor_digest \(text))
                """),
            "CREATE INDEX refresh_token_expiry ON refresh_token (expires_at)",
            SQLStatement(
                """
                CREATE TABLE signing_key (
                    id \(text) NOT NULL PRIMARY KEY, algorithm \(text) NOT NULL, sealed_key \(text) NOT NULL,
                    public_key \(text) NOT NULL, created_at BIGINT NOT NULL, signs_from BIGINT NOT NULL,
                    retires_at BIGINT)
                """),
            SQLStatement(
                """
                CREATE TABLE revoked_token (
                    token_id \(text) NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE INDEX revoked_token_expiry ON revoked_token (expires_at)",
            SQLStatement(
                """
                CREATE TABLE logout_notice (
                    id \(text) NOT NULL PRIMARY KEY, client_id \(text) NOT NULL, subject \(text) NOT NULL,
                    session_id \(text) NOT NULL, created_at BIGINT NOT NULL, attempts BIGINT NOT NULL,
                    next_attempt_at BIGINT NOT NULL)
                """),
            "CREATE INDEX logout_notice_due ON logout_notice (next_attempt_at)",
        ]
    }
}
