extension Migration {
    static let clientAssertions = Migration(version: 14, name: "clients' assertions that were used") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE client_assertion_use (
                    digest \(text) NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE INDEX client_assertion_use_expiry ON client_assertion_use (expires_at)",
        ]
    }
}
