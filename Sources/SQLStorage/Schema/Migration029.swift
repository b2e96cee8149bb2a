extension Migration {
    /// What the holder of a phone's key says of themselves is a note of the key, not the account's name and address.
    static let toldByPhones = Migration(version: 29, name: "what phones tell of their holders") { dialect in
        let text = dialect.text
        return ["name", "email"].map { SQLStatement("ALTER TABLE linked_key ADD COLUMN told_\($0) \(text)") }
    }
}
