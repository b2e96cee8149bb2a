extension Migration {
    /// Sign-ins across devices, for minutes. Nodes with waiting pages ask for those that have moved on, which are few.
    static let crossDevice = Migration(version: 23, name: "sign-ins across devices") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE cross_device (
                    record_key \(text) NOT NULL PRIMARY KEY, version BIGINT NOT NULL, content \(text) NOT NULL,
                    expires_at BIGINT NOT NULL)\(dialect.clustered)
                """),
            "CREATE INDEX cross_device_expiry ON cross_device (expires_at)",
            "CREATE INDEX cross_device_moved ON cross_device (expires_at) WHERE version > 0",
        ]
    }
}
