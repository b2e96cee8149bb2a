extension Migration {
    /// Whose sessions' ends are queued for back-channel logout: the clients that have somewhere to be told when a
    /// session ends, whatever they had when it began. Nodes put theirs in as they start; what ends before that, as with
    /// a command or a restore, is told to those who had somewhere when it began.
    static let logoutSubscribers = Migration(version: 46, name: "who hears of ends by back-channel logout") { dialect in
        [
            SQLStatement(
                """
                CREATE TABLE logout_subscriber (client_id \(dialect.text) NOT NULL PRIMARY KEY)\(dialect.clustered)
                """),
            """
            INSERT INTO logout_subscriber (client_id)
            SELECT client_id FROM app_session WHERE wants_logout_notice = 1 AND ended_at IS NULL
            UNION SELECT client_id FROM web_session WHERE wants_logout_notice = 1 AND ended_at IS NULL
            """,
        ]
    }
}
