extension Migration {
    /// Since when a client's tokens administer, and of when those are that opened the console's sessions. A node of the
    /// version before neither writes nor asks it: what it leaves out counts as nothing known of a client, and as the
    /// session's own time (ADR-0074).
    static let adminEpochs = Migration(version: 51, name: "since when clients' tokens administer") { _ in
        [
            "ALTER TABLE client ADD COLUMN admin_epoch BIGINT",
            "ALTER TABLE admin_session ADD COLUMN admin_epoch BIGINT",
        ]
    }
}
