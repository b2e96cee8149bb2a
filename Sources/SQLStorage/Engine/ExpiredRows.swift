/// The rows of a table that have ended, and are no longer needed.
struct ExpiredRows: Sendable {
    /// The table, or the part of it that these rows are (``PurgeProgress``).
    let name: String
    /// Gives a row where there are any that ended before `$1`, and at `$2` or later (``PurgeProgress``); for the
    /// order's sake by the index of times.
    let anyDue: SQLStatement
    /// Removes rows that ended before `$1`, and at `$3` or later, at most `$2` of them and the oldest first; gives when
    /// each ended of what went.
    ///
    /// The row's own time is compared once more. Under PostgreSQL's READ COMMITTED the query picks rows as they were,
    /// and of one that was given a new time meanwhile only what is asked of the row itself is checked again. The plus
    /// keeps both engines from going by the index of times there, over everything that has ended.
    let remove: SQLStatement

    /// - Parameters:
    ///   - table: one with an indexed column `expires_at`.
    ///   - key: the table's primary key: `DELETE` knows no limit, so a query picks the rows.
    ///   - condition: which part of the table these are, where that part has an index of times of its own.
    init(of table: String, by key: String, where condition: String? = nil) {
        name = condition.map { "\(table) where \($0)" } ?? table
        let part = condition.map { "\($0) AND " } ?? ""
        anyDue = SQLStatement(
            "SELECT 1 FROM \(table) WHERE \(part)expires_at < $1 AND expires_at >= $2 ORDER BY expires_at LIMIT 1")
        remove = SQLStatement(
            """
            DELETE FROM \(table) WHERE \(key) IN
                (SELECT \(key) FROM \(table) WHERE \(part)expires_at < $1 AND expires_at >= $3
                 ORDER BY expires_at LIMIT $2)
                AND +expires_at < $1
            RETURNING expires_at
            """)
    }
}
