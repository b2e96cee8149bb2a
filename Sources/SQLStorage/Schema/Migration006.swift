extension Migration {
    static let scale = Migration(version: 6, name: "audit by user, first signing keys, a demo's secrets") { dialect in
        let text = dialect.text
        return [
            // "The last fifty of this user" among ten million; without the node and number, which would double it.
            "CREATE INDEX audit_event_subject ON audit_event (subject, at) WHERE subject IS NOT NULL",
            // Of nodes that start at the same time on an empty database one makes an algorithm's first key.
            SQLStatement(
                """
                CREATE TABLE first_signing_key (algorithm \(text) NOT NULL PRIMARY KEY, key_id \(text) NOT NULL)
                """),
            // Empty in every database but a demo's: real keys do not belong beside what they protect (ADR-0005).
            SQLStatement(
                """
                CREATE TABLE demo_material (name \(text) NOT NULL PRIMARY KEY, content \(text) NOT NULL)
                """),
        ]
    }
}
