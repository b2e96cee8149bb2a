extension Migration {
    /// Which session a login token was issued from: with its end the token is over. And in which one a refresh gave out
    /// a device secret: a theft of that session's tokens takes it back. Neither is known for what was issued before
    /// this step.
    static let issuingSessions = Migration(version: 44, name: "what was issued by which session") { dialect in
        [
            SQLStatement("ALTER TABLE login_token_use ADD COLUMN issuing_session_id \(dialect.text)"),
            SQLStatement("ALTER TABLE device_secret_digest ADD COLUMN session_id \(dialect.text)"),
        ]
    }
}
