/// The statements of the audit log.
enum AuditSQL {
    static let columns = """
        node, sequence, at, type, outcome, reason, subject, client_id, target_client_id, session_id, token_id, \
        address, user_agent, request_id, detail, previous_hash, hash
        """

    /// The types of everyday events; all others are rare enough for an index.
    static let frequentTypes = [
        "login_token.issued", "login_token.redeemed", "web_session.opened", "web_session.ended",
        "authorization_code.issued", "authorization_code.redeemed", "refresh_token.rotated", "device_secret.issued",
        "device_secret.exchanged", "user.signed_in", "access_token.issued", "refresh_token.used", "app_session.opened",
        "app_session.ended", "logout_notice.sent",
    ]

    /// Stands in the index and, letter by letter, in the queries that are to use it.
    static let isRareType = "type NOT IN (\(frequentTypes.map { "'\($0)'" }.joined(separator: ", ")))"

    static let insert = insert(rows: 1)

    /// Rows of ``insertTogether``: PostgreSQL takes a third less time for eight rows of one statement than of eight, and
    /// no less for more.
    static let rowsTogether = 8
    static let insertTogether = insert(rows: rowsTogether)

    private static func insert(rows: Int) -> SQLStatement {
        let width = 17
        let values = (0..<rows).map { row in
            "(\((1...width).map { "$\(row * width + $0)" }.joined(separator: ", ")))"
        }
        return SQLStatement("INSERT INTO audit_event (\(columns)) VALUES \(values.joined(separator: ", "))")
    }

    static let head: SQLStatement = """
        SELECT sequence, hash FROM audit_event WHERE node = $1 ORDER BY sequence DESC LIMIT 1
        """

    static let records = SQLStatement(
        """
        SELECT \(columns) FROM audit_event
        WHERE node = $1 AND sequence >= $2 AND sequence <= $3 ORDER BY sequence LIMIT $4
        """)

    // One index probe a node: a GROUP BY would read every event there is.
    static let firstNode: SQLStatement = "SELECT min(node) FROM audit_event"
    static let nextNode: SQLStatement = "SELECT min(node) FROM audit_event WHERE node > $1"

    static let insertCheckpoint: SQLStatement = """
        INSERT INTO audit_checkpoint (node, size, at, hash, note) VALUES ($1, $2, $3, $4, $5)
        """

    static let lastCheckpointSize: SQLStatement = """
        SELECT size FROM audit_checkpoint WHERE node = $1 ORDER BY size DESC LIMIT 1
        """

    static let checkpoints: SQLStatement = """
        SELECT node, size, at, hash, note FROM audit_checkpoint ORDER BY node, size
        """
}
