import Bridge

/// The statements of the audit log.
enum AuditSQL {
    static let columns = """
        node, sequence, at, type, outcome, reason, subject, client_id, target_client_id, session_id, token_id, \
        address, user_agent, request_id, detail, previous_hash, hash
        """

    /// The types of everyday events; all others are rare enough for an index. What is sealed was sealed by this list, so a
    /// type may leave it only together with every segment.
    static let frequentTypes = [
        "login_token.issued", "login_token.redeemed", "web_session.opened", "web_session.ended",
        "authorization_code.issued", "authorization_code.redeemed", "refresh_token.rotated", "device_secret.issued",
        "device_secret.exchanged", "user.signed_in", "access_token.issued", "refresh_token.used", "app_session.opened",
        "app_session.ended", "logout_notice.sent",
    ]

    /// Stands in a step of the schema.
    static let isRareType = "type NOT IN (\(frequentTypes.map { "'\($0)'" }.joined(separator: ", ")))"

    /// Most rows of one statement: PostgreSQL takes a third less time for eight rows of one statement than of eight,
    /// and no less for more.
    static let mostTogether = 8
    /// By how many rows each stores, most first, so that any number takes few statements.
    static let inserts = [8, 4, 2, 1].map { (count: $0, statement: insert(rows: $0)) }

    private static func insert(rows: Int) -> SQLStatement {
        let width = columns.split(separator: ",").count
        let values = (0..<rows).map { row in
            "(\((1...width).map { "$\(row * width + $0)" }.joined(separator: ", ")))"
        }
        return SQLStatement("INSERT INTO audit_event (\(columns)) VALUES \(values.joined(separator: ", "))")
    }

    /// What can stand in a chain. SQLite compares text and bytes as larger than any number, and keeps fractions.
    private static func isPlace(_ column: String, upTo end: Int64 = AuditRecord.sequences.upperBound) -> String {
        "\(column) >= 1 AND \(column) <= \(end) AND \(column) = CAST(\(column) AS BIGINT)"
    }

    /// The last place of the lower half, which no chain comes to by itself.
    static let middle = AuditRecord.sequences.upperBound / 2

    static let head = SQLStatement(
        """
        SELECT sequence, hash FROM audit_event WHERE node = $1 AND \(isPlace("sequence", upTo: middle))
        ORDER BY sequence DESC LIMIT 1
        """)
    static let following: SQLStatement = """
        SELECT sequence, hash FROM audit_event WHERE node = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
        """

    static let first = SQLStatement(
        """
        SELECT sequence FROM audit_event WHERE node = $1 AND \(isPlace("sequence")) ORDER BY sequence LIMIT 1
        """)

    static let records = SQLStatement(
        """
        SELECT \(columns) FROM audit_event
        WHERE node = $1 AND sequence >= $2 AND sequence <= $3 ORDER BY sequence LIMIT $4
        """)

    /// Rows of a node below the first place of a chain.
    static let before: SQLStatement = """
        SELECT node, sequence FROM audit_event WHERE node = $1 AND sequence < 1 ORDER BY sequence LIMIT $2
        """
    /// Rows of a node after one place and up to another.
    static let between: SQLStatement = """
        SELECT node, sequence FROM audit_event WHERE node = $1 AND sequence > $2 AND sequence <= $3
        ORDER BY sequence LIMIT $4
        """
    /// Rows of a node after the last place that a chain can have.
    static let afterMiddle: SQLStatement = """
        SELECT node, sequence FROM audit_event WHERE node = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
        """
    static let allPlaces: SQLStatement = """
        SELECT node, sequence FROM audit_event WHERE node = $1 ORDER BY sequence LIMIT $2
        """

    static func hashes(count: Int) -> SQLStatement {
        let places = (0..<count).map { "$\($0 + 2)" }.joined(separator: ", ")
        return SQLStatement(
            "SELECT sequence, hash FROM audit_event WHERE node = $1 AND sequence IN (\(places))", isRecurring: false)
    }

    // One index probe a node: a GROUP BY would read every event there is.
    static let firstNode: SQLStatement = "SELECT min(node) FROM audit_event"
    static let nextNode: SQLStatement = "SELECT min(node) FROM audit_event WHERE node > $1"

    /// What was put in its place must not keep a node from signing.
    static let insertCheckpoint: SQLStatement = """
        INSERT INTO audit_checkpoint (node, size, at, hash, note) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (node, size) DO UPDATE SET at = excluded.at, hash = excluded.hash, note = excluded.note
        """

    /// Within what is there: `$2` is the chain's end.
    static let lastCheckpointSize = SQLStatement(
        """
        SELECT size FROM audit_checkpoint WHERE node = $1 AND size <= $2 AND \(isPlace("size"))
        ORDER BY size DESC LIMIT 1
        """)

    static let checkpoint: SQLStatement = """
        SELECT node, size, at, hash, note FROM audit_checkpoint WHERE node = $1 AND size = $2
        """
    static let checkpointsAfter: SQLStatement = """
        SELECT node, size, at, hash, note FROM audit_checkpoint
        WHERE node = $1 AND size > $2 AND size <= $3 ORDER BY size LIMIT $4
        """
    /// Those that a cut may be made at; `$4` is the latest time of their signature.
    static let oldCheckpoints: SQLStatement = """
        SELECT node, size, at, hash, note FROM audit_checkpoint
        WHERE node = $1 AND size > $2 AND size < $3 AND at <= $4 ORDER BY size LIMIT $5
        """

    /// Leaves a checkpoint that a cut is based on.
    static let deleteCheckpoint: SQLStatement = """
        DELETE FROM audit_checkpoint WHERE node = $1 AND size = $2 AND note = $3
            AND NOT EXISTS (SELECT 1 FROM audit_cut WHERE node = $1 AND through = $2)
        """

    static let insertCut: SQLStatement = """
        INSERT INTO audit_cut (node, through, note) VALUES ($1, $2, $3)
        ON CONFLICT (node, through) DO UPDATE SET note = excluded.note
        """
    static let cuts: SQLStatement = "SELECT node, through, note FROM audit_cut ORDER BY node, through"
    static let cut: SQLStatement = "SELECT node, through, note FROM audit_cut WHERE node = $1 AND through = $2"
    static let cutsAfter: SQLStatement = """
        SELECT node, through, note FROM audit_cut
        WHERE node = $1 AND through > $2 AND through <= $3 ORDER BY through LIMIT $4
        """

    static let checkpoints: SQLStatement = """
        SELECT node, size, at, hash, note FROM audit_checkpoint ORDER BY node, size
        """
    /// A checkpoint of any node.
    static let anyCheckpoint = SQLStatement("SELECT 1 FROM audit_checkpoint LIMIT 1", isRecurring: false)
    /// A checkpoint of one node, or of its commands.
    static let ownCheckpoint = SQLStatement(
        "SELECT 1 FROM audit_checkpoint WHERE node = $1 OR node = $2 LIMIT 1", isRecurring: false)
    /// The last one of one node and of its commands; where they have none, any node's. Nodes may have keys of their
    /// own.
    private static let newestCheckpointFirst = SQLStatement(
        """
        SELECT node, size, at, hash, note FROM audit_checkpoint
        ORDER BY CASE WHEN node = $1 OR node = $2 THEN 0 ELSE 1 END, at DESC LIMIT 1
        """, isRecurring: false)

    /// The last one of each node that runs at `$3`, but of one and its commands.
    private static let newestOfRunning = SQLStatement(
        """
        SELECT newest.node, newest.size, newest.at, newest.hash, newest.note
        FROM node_lease AS lease JOIN audit_checkpoint AS newest ON newest.node = lease.node
        WHERE lease.node <> $1 AND lease.node <> $2 AND lease.expires_at > $3
            AND newest.size = (SELECT max(size) FROM audit_checkpoint WHERE node = lease.node)
        ORDER BY newest.node
        """, isRecurring: false)

    /// - Returns: those that can be read.
    static func newestCheckpoints(
        besides node: String, _ session: any SQLSession, _ lease: LeaseSQL
    ) throws -> [AuditCheckpoint] {
        guard let now = try session.run(lease.now).first?.integer(0) else { return [] }
        let own = [node, NodeName.ofCommand(beside: node)].map { SQLValue.text($0) }
        return try session.run(newestOfRunning, own + [.integer(now)])
            .compactMap { AuditReading<AuditCheckpoint>(row: $0).value }
    }

    /// - Returns: `nil` where there is none, or it cannot be read.
    static func newestCheckpoint(of node: String, _ session: any SQLSession) throws -> AuditCheckpoint? {
        try session.run(newestCheckpointFirst, [.text(node), .text(NodeName.ofCommand(beside: node))]).first
            .flatMap { AuditReading<AuditCheckpoint>(row: $0).value }
    }
}
