extension Migration {
    /// Indexes for what would go through a whole table once there is much in it: the count of living sessions (each minute, on
    /// each node), refresh cookies by the one before (each refresh), a user's sign-ins elsewhere (each account page), and the
    /// administrators (each disabling).
    static let lookUps = Migration(
        version: 41, name: "living sessions, refresh cookies, upstream sign-ins, administrators"
    ) {
        _ in
        [
            // With what the condition is about in the key: SQLite would look into the table for it.
            "CREATE INDEX web_session_living ON web_session (expires_at, ended_at) WHERE ended_at IS NULL",
            """
            CREATE INDEX web_session_refresh_parent ON web_session_refresh (parent_digest) WHERE parent_digest IS NOT NULL
            """,
            "CREATE INDEX upstream_identity_subject ON upstream_identity (subject)",
            "CREATE INDEX account_role ON account (role) WHERE role IS NOT NULL",
        ]
    }
}
