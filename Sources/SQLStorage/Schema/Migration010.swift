extension Migration {
    static let claims = Migration(version: 10, name: "standard claims of accounts") { dialect in
        [
            SQLStatement("ALTER TABLE account ADD COLUMN claims \(dialect.text)"),
            SQLStatement("ALTER TABLE account ADD COLUMN claims_changed_at BIGINT"),
        ]
    }
}
