extension Migration {
    /// Which session a login token was issued from: with its end the token is over. Of tokens from before this step
    /// that is not known.
    static let issuingSessions = Migration(version: 44, name: "login tokens by session") { dialect in
        [SQLStatement("ALTER TABLE login_token_use ADD COLUMN issuing_session_id \(dialect.text)")]
    }
}
