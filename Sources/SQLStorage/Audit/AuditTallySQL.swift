/// The statements about counts of audit events.
enum AuditTallySQL {
    static let progress: SQLStatement = "SELECT sequence FROM audit_tally_progress WHERE node = $1"
    static let begin: SQLStatement = """
        INSERT INTO audit_tally_progress (node, sequence) VALUES ($1, 0) ON CONFLICT (node) DO NOTHING
        """
    /// Writes a row only while nobody else counted the same events.
    static let advance: SQLStatement = """
        UPDATE audit_tally_progress SET sequence = $3 WHERE node = $1 AND sequence = $2
        """

    static let count: SQLStatement = """
        SELECT at / 60000, type, outcome, coalesce(reason, ''), count(*), max(sequence) FROM audit_event
        WHERE node = $1 AND sequence > $2 AND sequence <= $3 GROUP BY 1, 2, 3, 4
        """

    static let add: SQLStatement = """
        INSERT INTO audit_tally (at, node, type, outcome, reason, events) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (at, node, type, outcome, reason) DO UPDATE SET events = audit_tally.events + excluded.events
        """

    static let select: SQLStatement = """
        SELECT at, type, outcome, reason, CAST(sum(events) AS BIGINT) FROM audit_tally
        WHERE at >= $1 AND at < $2 GROUP BY at, type, outcome, reason
        """

    static let sample: SQLStatement = """
        INSERT INTO state_sample (name, at, value) VALUES ($1, $2, $3)
        ON CONFLICT (name, at) DO UPDATE SET value = excluded.value
        """
    static let samples: SQLStatement = """
        SELECT at, value FROM state_sample WHERE name = $1 AND at >= $2 AND at < $3 ORDER BY at
        """
}
