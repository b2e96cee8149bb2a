extension Migration {
    /// Which apps a session came by through exchanges: it reaches no website that one of them may not open. Unknown for
    /// what was opened before this step.
    static let appsAbove = Migration(version: 47, name: "apps above by exchanges") { dialect in
        [
            SQLStatement("ALTER TABLE app_session ADD COLUMN apps_above \(dialect.text)"),
            SQLStatement("ALTER TABLE web_session ADD COLUMN apps_above \(dialect.text)"),
        ]
    }
}
