extension Migration {
    /// The groups that another issuer says its user is in; those of an account are among its claims.
    static let toldGroups = Migration(version: 32, name: "groups of other issuers' users") { dialect in
        [SQLStatement("ALTER TABLE app_user ADD COLUMN told_groups \(dialect.text)")]
    }
}
