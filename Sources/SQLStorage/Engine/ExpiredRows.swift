/// The rows of a table that have ended, and that nobody needs any more.
struct ExpiredRows: Sendable {
    /// Gives a row where there are any that ended before `$1`; by the index of times, which PostgreSQL takes for the order's
    /// sake alone: of a plan for any time it thinks that a third of the table is due.
    let anyDue: SQLStatement
    /// Removes rows that ended before `$1`, at most `$2` of them and the oldest first, and gives the keys of what went.
    ///
    /// The row's own time is compared once more. Under PostgreSQL's READ COMMITTED the query picks rows as they were,
    /// and of one that was given a new time meanwhile only what is asked of the row itself is checked again. The plus
    /// keeps both engines from going by the index of times there, over everything that has ended.
    let remove: SQLStatement

    /// - Parameters:
    ///   - table: one with an indexed column `expires_at`.
    ///   - key: the table's primary key: `DELETE` knows no limit, so a query picks the rows.
    init(of table: String, by key: String) {
        anyDue = SQLStatement("SELECT 1 FROM \(table) WHERE expires_at < $1 ORDER BY expires_at LIMIT 1")
        remove = SQLStatement(
            """
            DELETE FROM \(table) WHERE \(key) IN
                (SELECT \(key) FROM \(table) WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
                AND +expires_at < $1
            RETURNING \(key)
            """)
    }
}
