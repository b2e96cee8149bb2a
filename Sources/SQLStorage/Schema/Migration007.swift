extension Migration {
    static let webhooks = Migration(version: 7, name: "webhooks of websites") { dialect in
        let text = dialect.text
        return [
            // In the database and not in the servers' settings alone: a command beside the server ends sessions too.
            SQLStatement(
                """
                CREATE TABLE webhook_subscriber (client_id \(text) NOT NULL PRIMARY KEY)\(dialect.clustered)
                """),
            SQLStatement(
                """
                CREATE TABLE webhook_notice (
                    id \(text) NOT NULL PRIMARY KEY, client_id \(text) NOT NULL, kind \(text) NOT NULL,
                    subject \(text) NOT NULL, object_id \(text) NOT NULL, reason \(text), ended_at BIGINT NOT NULL,
                    attempts BIGINT NOT NULL, next_attempt_at BIGINT NOT NULL)
                """),
            "CREATE INDEX webhook_notice_due ON webhook_notice (next_attempt_at)",
        ]
    }
}
