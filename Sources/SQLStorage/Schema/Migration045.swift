extension Migration {
    /// From which sign-in a browser went on to another domain, also once another session took that one's place: an end
    /// of the sign-in reaches it there. Unknown for what went on before this step.
    static let handOffOrigins = Migration(version: 45, name: "where hand-offs came from") { dialect in
        [
            SQLStatement("ALTER TABLE web_session ADD COLUMN handed_from \(dialect.text)"),
            "CREATE INDEX web_session_handed ON web_session (handed_from) WHERE handed_from IS NOT NULL",
        ]
    }
}
