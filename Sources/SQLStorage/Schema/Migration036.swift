extension Migration {
    /// What every node reads again and again, twice a second or once a minute: the exceptions are in indexes of their
    /// own, so that not all users or sessions are read for them.
    static let exceptions = Migration(version: 36, name: "disabled users, ended sessions to be counted") { _ in
        [
            "CREATE INDEX app_user_disabled ON app_user (subject) WHERE disabled_at IS NOT NULL",
            "CREATE INDEX web_session_ended ON web_session (expires_at) WHERE ended_at IS NOT NULL",
        ]
    }
}
