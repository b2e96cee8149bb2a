extension Migration {
    static let loginTokenOrder = Migration(version: 16, name: "login tokens in the order of ends") { _ in
        ["ALTER TABLE login_token_use ADD COLUMN issued_after_end BIGINT"]
    }
}
