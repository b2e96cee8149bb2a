extension Migration {
    static let lineage = Migration(version: 11, name: "lineage of sessions, ends in the order of commits") { dialect in
        let text = dialect.text
        return [
            SQLStatement("ALTER TABLE web_session ADD COLUMN ancestry \(text)"),
            SQLStatement("ALTER TABLE web_session ADD COLUMN scope \(text)"),
            "ALTER TABLE web_session ADD COLUMN ended_in BIGINT",
            "DROP INDEX web_session_end",
            // Asked twice a second by every node; only the few that were ended are in it.
            "CREATE INDEX web_session_end ON web_session (ended_in) WHERE ended_in IS NOT NULL",
            SQLStatement("ALTER TABLE app_session ADD COLUMN ancestry \(text)"),
            SQLStatement("ALTER TABLE app_session ADD COLUMN granted_in \(text)"),
            "CREATE INDEX app_session_granted ON app_session (granted_in) WHERE granted_in IS NOT NULL",
            SQLStatement("ALTER TABLE authorization_code ADD COLUMN granted_in \(text)"),
            """
            CREATE INDEX authorization_code_browser ON authorization_code (browser_session_id)
            WHERE redeemed_at IS NULL
            """,
            """
            CREATE INDEX authorization_code_granted ON authorization_code (granted_in)
            WHERE granted_in IS NOT NULL AND redeemed_at IS NULL
            """,
            // Codes that live a minute and do not say where they came from.
            "DELETE FROM authorization_code WHERE browser_session_id IS NULL AND redeemed_at IS NULL",
            SQLStatement("ALTER TABLE login_token_use ADD COLUMN scope \(text)"),
            "ALTER TABLE app_user ADD COLUMN login_tokens_void_until BIGINT",
            "CREATE TABLE transaction_number (value BIGINT NOT NULL)",
            "INSERT INTO transaction_number (value) VALUES (0)",
        ] + inheritance
    }

    /// What earlier sessions would have been called: a grant in a browser's session that came over an edge came over
    /// it too, and one of which nothing is known any more is taken for handed over.
    private static let inheritance: [SQLStatement] =
        [
            """
            UPDATE app_session SET opening = 'hand_off'
            WHERE opening = 'authorize' AND browser_session_id IS NULL AND parent_id IS NULL
            """,
            """
            UPDATE app_session SET
                opening = (SELECT w.opening FROM web_session w WHERE w.id = app_session.browser_session_id)
            WHERE browser_session_id IN (SELECT id FROM web_session WHERE opening <> 'authorize')
            """,
        ]
        // Apps signed in apps, which hardly went on for long.
        + Array(
            repeating: """
                UPDATE app_session SET ancestry = 'login_token' WHERE ancestry IS NULL AND parent_id IN
                    (SELECT id FROM app_session WHERE opening IN ('login_token', 'hand_off') OR ancestry IS NOT NULL)
                """, count: 4)
}
