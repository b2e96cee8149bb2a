extension Migration {
    /// What administrators ask by. Each event is written to every index that it has a value for, so there are no more
    /// than these: by user (migration 6), address, session, login token, and the types that are rare. A request's
    /// events are found by the time in its id, and everything else by reading back from the newest.
    static let administration = Migration(version: 5, name: "administration, audit by address, session and token") {
        dialect in
        let text = dialect.text
        return [
            "CREATE INDEX audit_event_address ON audit_event (address, at) WHERE address IS NOT NULL",
            "CREATE INDEX audit_event_session ON audit_event (session_id, at) WHERE session_id IS NOT NULL",
            "CREATE INDEX audit_event_token ON audit_event (token_id, at) WHERE token_id IS NOT NULL",
            SQLStatement("CREATE INDEX audit_event_rare_type ON audit_event (type, at) WHERE \(AuditSQL.isRareType)"),
            SQLStatement(
                """
                CREATE TABLE admin_session (
                    secret_digest \(text) NOT NULL PRIMARY KEY, actor \(text) NOT NULL, created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE audit_tally (
                    at BIGINT NOT NULL, node \(text) NOT NULL, type \(text) NOT NULL, outcome \(text) NOT NULL,
                    reason \(text) NOT NULL, events BIGINT NOT NULL,
                    PRIMARY KEY (at, node, type, outcome, reason))\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE audit_tally_progress (
                    node \(text) NOT NULL PRIMARY KEY, sequence BIGINT NOT NULL)\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE state_sample (
                    name \(text) NOT NULL, at BIGINT NOT NULL, value BIGINT NOT NULL,
                    PRIMARY KEY (name, at))\(dialect.clustered)
                """),
        ]
    }
}
