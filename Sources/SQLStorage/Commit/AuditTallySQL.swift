import Bridge

/// The statements about counts of audit events.
enum AuditTallySQL {
    /// No count that was made is larger, and sums of such do not overflow.
    private static let mostCounted = 1_000_000_000_000

    static let progress: SQLStatement = "SELECT sequence FROM audit_tally_progress WHERE node = $1"
    /// Where other software has written, counting goes on after what there is now.
    static let mend: SQLStatement = """
        INSERT INTO audit_tally_progress (node, sequence) VALUES ($1, $2)
        ON CONFLICT (node) DO UPDATE SET sequence = excluded.sequence
        """
    static let begin: SQLStatement = """
        INSERT INTO audit_tally_progress (node, sequence) VALUES ($1, 0) ON CONFLICT (node) DO NOTHING
        """
    /// Writes a row only while no other process has counted the same events.
    static let advance: SQLStatement = """
        UPDATE audit_tally_progress SET sequence = $3 WHERE node = $1 AND sequence = $2
        """

    static let count: SQLStatement = """
        SELECT at / 60000, type, outcome, coalesce(reason, ''), count(*), max(sequence) FROM audit_event
        WHERE node = $1 AND sequence > $2 AND sequence <= $3 GROUP BY 1, 2, 3, 4
        """

    /// What the events of one type say of themselves.
    static let details: SQLStatement = """
        SELECT at / 60000, detail FROM audit_event
        WHERE node = $1 AND sequence > $2 AND sequence <= $3 AND type = $4 AND detail IS NOT NULL
        """

    /// The last of the next `$4` events after `$2` and up to `$3`.
    static let end: SQLStatement = """
        SELECT max(sequence) FROM (
            SELECT sequence FROM audit_event WHERE node = $1 AND sequence > $2 AND sequence <= $3
            ORDER BY sequence LIMIT $4) AS next
        """

    static let add = SQLStatement(
        """
        INSERT INTO audit_tally (at, node, type, outcome, reason, events) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (at, node, type, outcome, reason) DO UPDATE SET events = excluded.events
            + CASE WHEN audit_tally.events BETWEEN 0 AND \(mostCounted) THEN audit_tally.events ELSE 0 END
        """)

    /// By bars of `$3` milliseconds: a week has a hundred times as many minutes as a chart of it has bars. And, in rows
    /// without a time, how far each chain is counted: each statement sees a state of its own, and of two the second could
    /// take as counted what the first did not find.
    static let select = SQLStatement(
        """
        SELECT at / $3 * $3, type, outcome, reason, CAST(sum(events) AS BIGINT) FROM audit_tally
        WHERE at >= $1 AND at < $2 AND events BETWEEN 0 AND \(mostCounted) GROUP BY 1, type, outcome, reason
        UNION ALL SELECT CAST(NULL AS BIGINT), node, '', '', sequence FROM audit_tally_progress
        """)

    static let sample: SQLStatement = """
        INSERT INTO state_sample (name, at, value) VALUES ($1, $2, $3)
        ON CONFLICT (name, at) DO UPDATE SET value = excluded.value
        """
    static let samples = SQLStatement(
        """
        SELECT at, value FROM state_sample WHERE name = $1 AND at >= $2 AND at < $3
            AND value BETWEEN 0 AND \(mostCounted) ORDER BY at
        """)

    static let oldest: SQLStatement = "SELECT min(at) FROM audit_tally WHERE at >= $1"
    // From `$1` on: what went before is still at the left end of the key, and would be read with every step.
    static let purge: SQLStatement = "DELETE FROM audit_tally WHERE at >= $1 AND at < $2"
    // Asked by name, for the key's sake.
    static let oldestSample = SQLStatement("SELECT min(at) FROM state_sample WHERE name IN (\(names)) AND at >= $1")
    static let purgeSamples = SQLStatement(
        "DELETE FROM state_sample WHERE name IN (\(names)) AND at >= $1 AND at < $2")
    private static let names = StateSample.Name.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
}
