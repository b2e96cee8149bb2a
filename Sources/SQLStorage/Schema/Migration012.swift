extension Migration {
    /// Signed statements about what retention removed, and how far receivers have what nodes signed.
    static let auditCuts = Migration(version: 12, name: "signed cuts of the audit log") { dialect in
        let text = dialect.text
        return [
            // Everything that is known of a cut stands in its note; the rest would be a second word on the same thing.
            SQLStatement(
                """
                CREATE TABLE audit_cut (
                    node \(text) NOT NULL, through BIGINT NOT NULL, note \(text) NOT NULL,
                    PRIMARY KEY (node, through))\(dialect.clustered)
                """),
            "ALTER TABLE audit_forward ADD COLUMN checkpoint_size BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE audit_forward ADD COLUMN cut_through BIGINT NOT NULL DEFAULT 0",
        ]
    }
}
