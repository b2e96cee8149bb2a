/// The few words in which the engines differ.
struct SQLDialect: Sendable {
    /// The type of a text column, compared byte by byte.
    let text: String
    /// Ends a table definition whose rows live in its primary key.
    let clustered: String
    /// Lower-cases a text expression of any script, as `lowercasedForSearch` does.
    let lowercase: @Sendable (_ expression: String) -> String
    /// Whether a text column is one of a list, an argument of ``SQLValue/lists(of:)``. Under PostgreSQL an array and not
    /// a query: its planner takes that for a few texts, each to be looked up by the column's index.
    let isAmong: @Sendable (_ column: String, _ list: String) -> String
    /// Ends a `SELECT` whose row no one may change until the transaction ends; empty where writers take turns anyway.
    let rowHold: String
    /// Whether each statement that is waited for costs a round trip.
    var isRemote: Bool
    /// Run first in the transaction of a migration, so that of several nodes that start at once one migrates, and none of
    /// its steps waits for long for a table.
    let beforeMigration: [SQLStatement]
    /// A number, as an expression inside a transaction that writes, by which readers tell what they have not seen yet:
    /// what a transaction commits has its number, and ``lowestOpenNumber`` is at most the number of every transaction
    /// that is not over.
    let transactionNumber: String
    /// The lowest number that a transaction under way, or yet to come, may have.
    let lowestOpenNumber: String
    /// A number that is above that of every transaction whose result the same statement sees.
    let nextNumber: String
    /// Text that changes when the numbers may begin again: after a restart, a failover or a restore.
    let databaseRun: String
    /// Run before the commit of a transaction that used its number; `nil` where the engine counts by itself.
    let advanceNumber: SQLStatement?
    /// Run by itself after a commit: tells every node of what `$1` names, separated by commas, ended sessions by their
    /// ids, changed keys (``RevocationNews``).
    var sessionEndNews: SQLStatement?
    /// Has what is left of a transaction wait a tenth of a second at most for a row that another one holds; `nil` where
    /// transactions do not wait for single rows.
    let shortWait: SQLStatement?
    let lease: LeaseSQL

    /// Lower-cases a text expression in which a text is searched for. Both engines' own `lower()` knows the case of ASCII
    /// letters, and takes a tenth of the time.
    func lowercased(_ expression: String, toFind text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? "lower(\(expression))" : lowercase(expression)
    }
}
