/// The few words in which the engines differ.
package struct SQLDialect: Sendable {
    /// The type of a text column, compared byte by byte.
    let text: String
    /// Ends a table definition whose rows live in its primary key.
    let clustered: String
    /// Lower-cases a text expression of any script.
    let lowercase: @Sendable (_ expression: String) -> String
    /// Ends a `SELECT` whose row nobody may change until the transaction ends; empty where writers take turns anyway.
    let rowHold: String
    /// Whether each statement that is waited for costs a way to a server and back.
    var isRemote: Bool
    /// Run first in the transaction of a migration, so that of several nodes that start at once one migrates.
    let beforeMigration: [SQLStatement]
    /// Tells every node, at the commit, of what `$1` names, separated by commas: ended sessions by their ids, changed
    /// keys (``RevocationNews``).
    let sessionEndNews: SQLStatement?
}
