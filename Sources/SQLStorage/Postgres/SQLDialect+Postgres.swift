extension SQLDialect {
    static let postgres = SQLDialect(
        // Byte order, as in SQLite: the same pages in the same order, whatever the database's language.
        text: #"TEXT COLLATE "C""#, clustered: "",
        // The columns' own collation knows the case of ASCII letters only.
        lowercase: { #"lower((\#($0)) COLLATE "und-x-icu")"# },
        rowHold: " FOR SHARE", isRemote: true,
        beforeMigration: [
            "SELECT pg_advisory_xact_lock(hashtextextended('drawbridge migration ' || current_schema(), 0))"
        ],
        transactionNumber: "txid_current()", lowestOpenNumber: "txid_snapshot_xmin(txid_current_snapshot())",
        databaseRun: "pg_postmaster_start_time()::text", advanceNumber: nil,
        sessionEndNews: "SELECT pg_notify('drawbridge_session_end', $1)")
}
