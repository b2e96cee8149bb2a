extension Migration {
    /// Websites whose server took a login token itself hear of the session's end too (contract §4.5).
    static let webSessionNotices = Migration(version: 26, name: "logout notices of web sessions") { _ in
        ["ALTER TABLE web_session ADD COLUMN wants_logout_notice BIGINT NOT NULL DEFAULT 0"]
    }
}
