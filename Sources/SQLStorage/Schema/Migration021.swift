extension Migration {
    /// How often the database was restored to an earlier state, and which login tokens died with that (ADR-0030).
    static let restorePoint = Migration(version: 21, name: "restore epoch") { dialect in
        let text = dialect.text
        return [
            SQLStatement(
                """
                CREATE TABLE restore_point (
                    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL, identity \(text) NOT NULL,
                    restored_at BIGINT, tokens_void_until BIGINT NOT NULL)
                """)
        ]
    }
}
