extension SQLDialect {
    static let sqlite = SQLDialect(
        text: "TEXT", clustered: " WITHOUT ROWID",
        // Registered by GRDB; SQLite's own lower() knows ASCII only.
        lowercase: { "swiftLowercaseString(\($0))" },
        rowHold: "", isRemote: false, beforeMigration: [],
        // One process writes at a time, so a number that each such transaction counts up by one will do.
        transactionNumber: "(SELECT value + 1 FROM transaction_number)",
        lowestOpenNumber: "(SELECT value + 1 FROM transaction_number)", databaseRun: "''",
        advanceNumber: "UPDATE transaction_number SET value = value + 1", sessionEndNews: nil)
}
