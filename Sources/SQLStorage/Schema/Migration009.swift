extension Migration {
    static let auditForwarding = Migration(version: 9, name: "audit forwarding") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE audit_forward (
                    target \(text) NOT NULL, node \(text) NOT NULL, sequence BIGINT NOT NULL, updated_at BIGINT NOT NULL,
                    PRIMARY KEY (target, node))\(dialect.clustered)
                """)
        ]
    }
}
