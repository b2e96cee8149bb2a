extension Migration {
    /// What a session of the console depends on. Earlier ones name nothing that could end them, so they end here.
    static let consoleCredentials = Migration(version: 15, name: "what opened the console's sessions") { dialect in
        ["DELETE FROM admin_session"]
            + ["token_id", "client_id", "session_id"].map { name in
                SQLStatement("ALTER TABLE admin_session ADD COLUMN \(name) \(dialect.text)")
            } + ["ALTER TABLE admin_session ADD COLUMN signed_in_at BIGINT"]
    }
}
