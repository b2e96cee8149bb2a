extension Migration {
    static let initial = Migration(version: 1, name: "users, clients, login tokens, sessions, audit") {
        dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE app_user (
                    subject \(text) NOT NULL PRIMARY KEY, issuer \(text) NOT NULL, first_seen_at BIGINT NOT NULL,
                    disabled_at BIGINT)\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE client (
                    client_id \(text) NOT NULL PRIMARY KEY, document \(text) NOT NULL, updated_at BIGINT NOT NULL)
                """),
            // Rows stand in the order of their making, not of their random id: the indexes alone, among all that a
            // redemption touches, are spread over the file.
            SQLStatement(
                """
                CREATE TABLE login_token_use (
                    token_id \(text) NOT NULL PRIMARY KEY, subject \(text) NOT NULL, client_id \(text) NOT NULL,
                    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
                    state \(text) NOT NULL CHECK (state IN ('pending', 'redeemed', 'revoked')),
                    misses BIGINT NOT NULL, used_at BIGINT, session_id \(text), address \(text),
                    agent_digest \(text))
                """),
            "CREATE INDEX login_token_use_expiry ON login_token_use (expires_at)",
            SQLStatement(
                """
                CREATE TABLE idempotency_key (
                    key_digest \(text) NOT NULL PRIMARY KEY, fingerprint \(text) NOT NULL, token_id \(text) NOT NULL,
                    signing_key_id \(text) NOT NULL, payload \(text) NOT NULL, expires_at BIGINT NOT NULL)
                """),
            "CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at)",
            // The login token is unique by itself, since one id always comes with one time of issue, both under one
            // signature. The time stands first so that the index grows at its end.
            SQLStatement(
                """
                CREATE TABLE web_session (
                    id \(text) NOT NULL PRIMARY KEY, secret_digest \(text) NOT NULL UNIQUE,
                    subject \(text) NOT NULL, client_id \(text) NOT NULL, app_client_id \(text), parent_id \(text),
                    login_token_id \(text), opening \(text) NOT NULL, auth_time BIGINT, acr \(text),
                    amr \(text), created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL, idle_lifetime BIGINT NOT NULL, last_seen_at BIGINT NOT NULL,
                    ended_at BIGINT, login_token_issued_at BIGINT,
                    UNIQUE (login_token_issued_at, login_token_id))
                """),
            "CREATE INDEX web_session_subject ON web_session (subject)",
            "CREATE INDEX web_session_expiry ON web_session (expires_at)",
            // Asked twice a second by every node; only the few that were ended are in it.
            "CREATE INDEX web_session_end ON web_session (ended_at) WHERE ended_at IS NOT NULL",
            SQLStatement(
                """
                CREATE TABLE audit_event (
                    node \(text) NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, type \(text) NOT NULL,
                    outcome \(text) NOT NULL, reason \(text), subject \(text), client_id \(text),
                    target_client_id \(text), session_id \(text), token_id \(text), address \(text),
                    user_agent \(text), request_id \(text), detail \(text), previous_hash \(text) NOT NULL,
                    hash \(text) NOT NULL, PRIMARY KEY (node, sequence))\(dialect.clustered)
                """),
            "CREATE INDEX audit_event_time ON audit_event (at, node, sequence)",
            SQLStatement(
                """
                CREATE TABLE audit_checkpoint (
                    node \(text) NOT NULL, size BIGINT NOT NULL, at BIGINT NOT NULL, hash \(text) NOT NULL,
                    note \(text) NOT NULL, PRIMARY KEY (node, size))\(dialect.clustered)
                """),
            SQLStatement(
                "CREATE TABLE heartbeat (node \(text) NOT NULL PRIMARY KEY, at BIGINT NOT NULL)\(dialect.clustered)"),
        ]
    }
}
