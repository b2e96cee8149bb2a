/// The statements about sealed segments of the audit log.
enum AuditSegmentSQL {
    /// What goes into a segment's index: the fields in the order of ``AuditField``.
    static let events = SQLStatement(
        """
        SELECT sequence, at, \(AuditField.allCases.map(\.column).joined(separator: ", ")) FROM audit_event
        WHERE node = $1 AND sequence >= $2 AND sequence <= $3 ORDER BY sequence
        """)

    /// The last sequence through which every event of a node is in a segment; `NULL` where there are none.
    ///
    /// Not just the last segment's: one that is missing before it (the index may be made again while one is being
    /// sealed) must neither hide its events nor stay missing. A gap without events is not one. The first comparison
    /// keeps the sum of the second in its range, whatever was written there.
    static let end: SQLStatement = """
        WITH ordered AS (
            SELECT first_sequence, max(through) OVER (ORDER BY first_sequence) AS covered,
                lead(first_sequence) OVER (ORDER BY first_sequence) AS following
            FROM audit_segment
            WHERE node = $1 AND first_sequence = CAST(first_sequence AS BIGINT) AND through = CAST(through AS BIGINT))
        SELECT CASE
            WHEN EXISTS (SELECT 1 FROM audit_event WHERE node = $1 AND sequence > 0
                AND sequence < (SELECT min(first_sequence) FROM ordered)) THEN 0
            ELSE COALESCE(
                min(CASE WHEN following > covered THEN CASE WHEN following > covered + 1 THEN CASE WHEN EXISTS (
                    SELECT 1 FROM audit_event WHERE node = $1 AND sequence > covered AND sequence < following)
                    THEN covered END END END),
                max(covered)) END
        FROM ordered
        """

    /// For events through `$6`: a late writer must not overwrite what has been sealed further since.
    static let insertPiece: SQLStatement = """
        INSERT INTO audit_index (node, first_sequence, field, bucket, entries)
        SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS TEXT)
        WHERE NOT EXISTS (SELECT 1 FROM audit_segment
            WHERE node = $1 AND first_sequence = $2 AND through > $6 AND through = CAST(through AS BIGINT))
        ON CONFLICT (node, first_sequence, field, bucket) DO UPDATE SET entries = excluded.entries
        """

    /// From here on searches believe that events through `$3` are in the index.
    static let insert: SQLStatement = """
        INSERT INTO audit_segment (node, first_sequence, through, oldest_at, newest_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (node, first_sequence) DO UPDATE SET through = excluded.through,
            oldest_at = excluded.oldest_at, newest_at = excluded.newest_at
        WHERE audit_segment.through < excluded.through
            OR audit_segment.through <> CAST(audit_segment.through AS BIGINT)
        """

    /// Segments whose events were taken away, in whose places others may come. And what is not a sequence.
    static let dropBehind: SQLStatement = """
        DELETE FROM audit_segment WHERE node = $1 AND (through > $2 OR through <> CAST(through AS BIGINT))
        """

    static let countPieces: SQLStatement = "SELECT count(*) FROM audit_index WHERE node = $1 AND first_sequence = $2"

    /// Segments whose events are all gone; their pieces go first.
    static let dropThrough: SQLStatement = "DELETE FROM audit_segment WHERE node = $1 AND through <= $2"
    static let dropPiecesThrough: SQLStatement = """
        DELETE FROM audit_index WHERE node = $1 AND first_sequence IN
            (SELECT first_sequence FROM audit_segment WHERE node = $1 AND through <= $2)
        """

    /// The next segments in the order of their newest event, each with its piece for the field `$1` and bucket `$2`;
    /// none that are wholly outside of the times `$3` and `$4`.
    static let pieces: SQLStatement = """
        SELECT s.node, s.first_sequence, s.newest_at, i.entries
        FROM audit_segment s LEFT JOIN audit_index i
            ON i.node = s.node AND i.first_sequence = s.first_sequence AND i.field = $1 AND i.bucket = $2
        WHERE s.newest_at >= $3 AND s.oldest_at <= $4 AND (s.newest_at, s.node, s.first_sequence) < ($5, $6, $7)
        ORDER BY s.newest_at DESC, s.node DESC, s.first_sequence DESC LIMIT $8
        """

    /// Events of a node after a place, as far as they are worth counting. The order makes it a walk of the table's key:
    /// without it PostgreSQL expects to meet so many soon, and reads the whole table for those at its end.
    static let countOpen: SQLStatement = """
        SELECT count(*) FROM
            (SELECT 1 FROM audit_event WHERE node = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS open
        """

    static let next = SQLStatement(
        """
        SELECT sequence FROM audit_event
        WHERE node = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT 1
        """)
    static let time: SQLStatement = "SELECT at FROM audit_event WHERE node = $1 AND sequence = $2"
}
