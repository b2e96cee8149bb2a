import Bridge

/// Where a node's chain ends, whatever else is in the table.
struct AuditChainEnd {
    let sequence: Int64
    /// The hash that the last event claims, whatever it is.
    let hash: SQLValue

    /// Rows that are looked at together.
    private static let pageSize: Int64 = 1000

    /// The last row of the lower half of all places, and what follows it without a gap.
    ///
    /// A row that was put far after the end would otherwise be taken for it: a node would have no room, and a follower
    /// of the chain would have skipped everything that comes.
    /// - Parameter run: runs a query.
    /// - Returns: `nil` when there is no event.
    static func find(
        of node: String, _ run: (SQLStatement, [SQLValue]) throws -> [SQLRow]
    ) throws -> AuditChainEnd? {
        guard let head = try run(AuditSQL.head, [.text(node)]).first else { return nil }
        var end = AuditChainEnd(sequence: try head.integer(0), hash: head.values[1])
        // After any other end the lower half holds nothing.
        guard end.sequence == AuditSQL.middle else { return end }
        while true {
            let rows = try run(AuditSQL.following, [.text(node), .integer(end.sequence), .integer(pageSize)])
            for row in rows {
                guard row.values[0] == .integer(end.sequence + 1) else { return end }
                end = AuditChainEnd(sequence: end.sequence + 1, hash: row.values[1])
            }
            guard rows.count == pageSize else { return end }
        }
    }
}
