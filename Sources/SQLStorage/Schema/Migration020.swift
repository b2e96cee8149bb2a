extension Migration {
    /// Who may continue a node's audit chain (ADR-0029).
    static let nodeLease = Migration(version: 20, name: "node leases") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE node_lease (
                    node \(text) NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL, holder \(text) NOT NULL,
                    expires_at BIGINT NOT NULL)
                """)
        ]
    }
}
