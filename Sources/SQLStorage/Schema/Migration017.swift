extension Migration {
    /// Events are written to no index but those that grow at their end. What administrators ask by is looked up in an index
    /// that is derived afterwards, segment by segment, and may be thrown away at any time (ADR-0020).
    static let auditSegments = Migration(version: 17, name: "audit log in sealed segments") { dialect in
        let text = dialect.text
        return ["subject", "address", "session", "token", "rare_type"].map { name in
            SQLStatement("DROP INDEX audit_event_\(name)")
        } + [
            // `through` is the last sequence that the segment's entries cover.
            SQLStatement(
                """
                CREATE TABLE audit_segment (
                    node \(text) NOT NULL, first_sequence BIGINT NOT NULL, through BIGINT NOT NULL,
                    oldest_at BIGINT NOT NULL, newest_at BIGINT NOT NULL,
                    PRIMARY KEY (node, first_sequence))\(dialect.clustered)
                """),
            "CREATE INDEX audit_segment_end ON audit_segment (node, through)",
            "CREATE INDEX audit_segment_newest ON audit_segment (newest_at, node, first_sequence)",
            // Rows of a few KB, written in the order of their key.
            SQLStatement(
                """
                CREATE TABLE audit_index (
                    node \(text) NOT NULL, first_sequence BIGINT NOT NULL, field BIGINT NOT NULL, bucket BIGINT NOT NULL,
                    entries \(text) NOT NULL, PRIMARY KEY (node, first_sequence, field, bucket))
                """),
        ]
    }
}
