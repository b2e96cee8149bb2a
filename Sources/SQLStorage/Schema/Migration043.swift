extension Migration {
    /// Which sign-in at an upstream provider a browser's session resulted from, so that it can end with the one there.
    /// Unknown for sessions from before this step.
    static let upstreamSessions = Migration(version: 43, name: "sessions by upstream sign-in") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE upstream_session (
                    session_id \(text) NOT NULL PRIMARY KEY, issuer \(text) NOT NULL, external_subject \(text) NOT NULL,
                    external_session \(text), expires_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE INDEX upstream_session_subject ON upstream_session (issuer, external_subject)",
            "CREATE INDEX upstream_session_sid ON upstream_session (issuer, external_session)",
            "CREATE INDEX upstream_session_expiry ON upstream_session (expires_at)",
        ]
    }
}
