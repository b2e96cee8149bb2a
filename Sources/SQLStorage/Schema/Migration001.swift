extension Migration {
    /// Every step, in order.
    static let all = [initial]

    private static let initial = Migration(version: 1, name: "users, clients, login tokens, sessions, audit") {
        dialect in
        [
            SQLStatement(
                """
                CREATE TABLE app_user (
                    subject TEXT NOT NULL PRIMARY KEY, issuer TEXT NOT NULL, first_seen_at BIGINT NOT NULL,
                    disabled_at BIGINT)\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE client (
                    client_id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL, updated_at BIGINT NOT NULL)
                """),
            // Rows stand in the order of their making, not of their random id: of all that a redemption touches, only
            // the indexes are spread over the file.
            """
            CREATE TABLE login_token_use (
                token_id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
                issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('pending', 'redeemed', 'revoked')), misses BIGINT NOT NULL,
                used_at BIGINT, session_id TEXT, address TEXT, agent_digest TEXT)
            """,
            "CREATE INDEX login_token_use_expiry ON login_token_use (expires_at)",
            """
            CREATE TABLE idempotency_key (
                key_digest TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, token_id TEXT NOT NULL,
                signing_key_id TEXT NOT NULL, payload TEXT NOT NULL, expires_at BIGINT NOT NULL)
            """,
            "CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at)",
            // The login token is unique by itself, since one id always comes with one time of issue, both under one
            // signature. The time stands first so that the index grows at its end.
            """
            CREATE TABLE web_session (
                id TEXT NOT NULL PRIMARY KEY, secret_digest TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
                client_id TEXT NOT NULL, app_client_id TEXT, parent_id TEXT, login_token_id TEXT,
                opening TEXT NOT NULL, auth_time BIGINT, acr TEXT, amr TEXT, created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL, idle_lifetime BIGINT NOT NULL, last_seen_at BIGINT NOT NULL,
                ended_at BIGINT, login_token_issued_at BIGINT, UNIQUE (login_token_issued_at, login_token_id))
            """,
            "CREATE INDEX web_session_subject ON web_session (subject)",
            "CREATE INDEX web_session_expiry ON web_session (expires_at)",
            // Asked twice a second by every node; only the few that were ended are in it.
            "CREATE INDEX web_session_end ON web_session (ended_at) WHERE ended_at IS NOT NULL",
            SQLStatement(
                """
                CREATE TABLE audit_event (
                    node TEXT NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, type TEXT NOT NULL,
                    outcome TEXT NOT NULL, reason TEXT, subject TEXT, client_id TEXT, target_client_id TEXT,
                    session_id TEXT, token_id TEXT, address TEXT, user_agent TEXT, request_id TEXT, detail TEXT,
                    previous_hash TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (node, sequence))\(dialect.clustered)
                """),
            "CREATE INDEX audit_event_time ON audit_event (at, node, sequence)",
            SQLStatement(
                """
                CREATE TABLE audit_checkpoint (
                    node TEXT NOT NULL, size BIGINT NOT NULL, at BIGINT NOT NULL, hash TEXT NOT NULL,
                    note TEXT NOT NULL, PRIMARY KEY (node, size))\(dialect.clustered)
                """),
            SQLStatement(
                "CREATE TABLE heartbeat (node TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)\(dialect.clustered)"),
        ]
    }
}
