import Bridge

/// The statements about nodes' leases, in the words of an engine.
struct LeaseSQL: Sendable {
    /// How long a name stays taken when its holder vanishes.
    static let duration = Duration.seconds(6)

    /// What a holder knows of its lease.
    struct Held: Hashable, Sendable {
        let epoch: Int64
        var expiresAt: Int64
        /// The run of the server that was asked.
        let run: Int64
        var restoreNumber: Int64 = 0

        init(_ row: SQLRow) throws {
            epoch = try row.integer(0)
            expiresAt = try row.integer(1)
            run = try row.integer(2)
        }

        func fence(node: String) -> [SQLValue] {
            [.text(node), .integer(epoch), .integer(expiresAt), .integer(restoreNumber), .integer(run)]
        }

        func renewal(node: String) -> [SQLValue] { [.text(node), .integer(epoch), .integer(expiresAt)] }
    }

    /// Whether a lease has an end that must be put off; not where the kernel knows when a holder ends.
    let runsOut: Bool
    /// The engine's, in milliseconds.
    let clock: String
    /// Asks for it alone.
    var now: SQLStatement { SQLStatement("SELECT \(clock)", isRecurring: false) }
    /// How often the database was restored, its identity, and when it was restored last; held until the transaction ends,
    /// so that of several nodes that find it changed one says so.
    let restorePoint: SQLStatement
    /// A number that grows with every transaction; zero where there is none.
    let transaction: SQLStatement
    /// Say which database it is, in a way that a copy of it does not share; each for where those before are refused.
    private let identities: [SQLStatement]

    /// Whether a database says by itself which one it is; a file is known by the mark beside it (``CommitMark``).
    var identifiesDatabase: Bool { !identities.isEmpty }

    /// `$1` is the node, `$2` the holder, here and in the next ones.
    let insert: SQLStatement
    /// The holder, its epoch, the end, and what time it is.
    let select: SQLStatement
    let take: SQLStatement
    let extend: SQLStatement
    /// `$2` is the epoch, `$3` what was last said of the end: in a database that was restored it is another. Gives the
    /// new end, the transaction's number, the run of the server and how often the database was restored.
    let renew: SQLStatement
    /// A row while the lease is held.
    let fence: SQLStatement
    /// Fails by itself where ``fence`` has no row, so that its answer need not be waited for: dividing by nothing is
    /// what SQL has for it. The row is held for share, which leaves no dead ones behind as a change in every batch
    /// would.
    let submittedFence: SQLStatement?

    /// - Parameters:
    ///   - run: a number of this run of the server.
    private init(
        runsOut: Bool, clock: String, run: String, rowHold: String, transactionNumber: String,
        identities: [String]
    ) {
        self.runsOut = runsOut
        self.clock = clock
        restorePoint = SQLStatement("SELECT number, identity, restored_at FROM restore_point WHERE id = 1\(rowHold)")
        transaction = SQLStatement("SELECT \(transactionNumber)")
        // Asked once for each connection: not worth keeping prepared.
        self.identities = identities.map { SQLStatement($0, isRecurring: false) }
        let end = "\(clock) + \(Self.duration.components.seconds * 1000)"
        let returning = "RETURNING epoch, expires_at, \(run)"
        insert = SQLStatement(
            """
            INSERT INTO node_lease (node, epoch, holder, expires_at) VALUES ($1, 1, $2, \(end))
            ON CONFLICT (node) DO NOTHING \(returning)
            """)
        select = SQLStatement("SELECT holder, epoch, expires_at, \(clock) FROM node_lease WHERE node = $1\(rowHold)")
        take = SQLStatement(
            """
            UPDATE node_lease SET epoch = epoch + 1, holder = $2, expires_at = \(end) WHERE node = $1 \(returning)
            """)
        extend = SQLStatement("UPDATE node_lease SET expires_at = \(end) WHERE node = $1 AND holder = $2 \(returning)")
        renew = SQLStatement(
            """
            UPDATE node_lease SET expires_at = \(end) WHERE node = $1 AND epoch = $2 AND expires_at = $3
            RETURNING expires_at, \(transactionNumber), \(run), (SELECT number FROM restore_point WHERE id = 1)
            """)
        let held = "SELECT 1 FROM node_lease WHERE node = $1 AND epoch = $2 AND expires_at = $3"
        let sameDatabase = "EXISTS (SELECT 1 FROM restore_point WHERE number = $4) AND $5 = \(run)"
        fence = SQLStatement("\(held) AND \(sameDatabase)")
        submittedFence =
            runsOut
            ? SQLStatement("SELECT 1 / (SELECT count(*) FROM (\(held) FOR SHARE) AS held WHERE \(sameDatabase))") : nil
    }

    static let sqlite = LeaseSQL(
        runsOut: false, clock: "(CAST(strftime('%s', 'now') AS BIGINT) * 1000)", run: "0", rowHold: "",
        transactionNumber: "0", identities: [])

    static let postgres = LeaseSQL(
        runsOut: true, clock: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        run: "CAST(extract(epoch FROM pg_postmaster_start_time()) * 1000000 AS BIGINT)", rowHold: " FOR UPDATE",
        transactionNumber: "txid_current()",
        identities: [
            // A standby that takes over begins a new timeline, and so does a server that was restored to a point in
            // time; what was loaded from a dump lives in another database or in another table.
            """
            SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
                || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || '/'
                || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
                || CAST(CAST('restore_point' AS regclass) AS oid)
            """,
            // Where a provider of databases does not let us ask, every new run of the server counts.
            """
            SELECT 'run ' || CAST(extract(epoch FROM pg_postmaster_start_time()) * 1000000 AS BIGINT) || '/'
                || CAST(CAST('restore_point' AS regclass) AS oid)
            """,
        ])

    /// Which database it is, and how that was found out.
    struct Identity: Sendable {
        let text: String
        fileprivate let statement: SQLStatement?

        init(text: String, statement: SQLStatement? = nil) {
            self.text = text
            self.statement = statement
        }

        /// Whether it is that of a server from which another has taken over since: the timeline, its second part of eight
        /// digits, only grows. Unknown, and so `false`, where a server may only be asked when it was started.
        func isEarlier(than other: Identity) -> Bool {
            let parts = text.split(separator: "/")
            let others = other.text.split(separator: "/")
            guard parts.count == 4, others.count == 4, parts[0] == others[0] else { return false }
            return parts[1] < others[1] && parts[2...] == others[2...]
        }
    }

    /// Asks in transactions of its own, since a refusal undoes one; ``isStill(_:_:)`` tells in the one that counts on it.
    /// - Throws: ``SQLError``.
    func identity(_ session: any SQLSession) throws -> Identity {
        guard let last = identities.last else { return Identity(text: "", statement: nil) }
        for statement in identities.dropLast() {
            do {
                try session.begin()
                let row = try session.run(statement).first
                try session.commit()
                if let text = try row?.optionalText(0) { return Identity(text: text, statement: statement) }
            } catch let failure as SQLError where [.refused, .forbidden].contains(failure.kind) {
                session.rollback()
            } catch {
                session.rollback()
                throw error
            }
        }
        try session.begin()
        defer { session.rollback() }
        return Identity(text: try session.run(last).first?.text(0) ?? "", statement: last)
    }

    /// Whether this is the same database still: a connection that was lost since may lead to another.
    func isStill(_ identity: Identity, _ session: any SQLSession) throws -> Bool {
        guard let statement = identity.statement else { return true }
        return try session.run(statement).first?.optionalText(0) ?? "" == identity.text
    }

    static let release: SQLStatement = """
        UPDATE node_lease SET expires_at = 0, holder = '' WHERE node = $1 AND epoch = $2
        """

    /// A row where a database knows the end `$3` that was said of the epoch `$2`, or of a later one. What it was before
    /// that has another end: it is put off every other second, and whoever takes the name raises the epoch.
    static let knowledge = SQLStatement(
        """
        SELECT 1 FROM node_lease WHERE node = $1 AND (epoch > $2 OR (epoch = $2 AND expires_at >= $3))
        """, isRecurring: false)

    /// Does not wait for a holder of the row.
    static let holder: SQLStatement = "SELECT holder, expires_at FROM node_lease WHERE node = $1"

    /// Refused at once where another connection holds the row.
    static let trial: SQLStatement = "SELECT epoch FROM node_lease WHERE node = $1 FOR UPDATE NOWAIT"
    static let trialHold: SQLStatement = "SELECT epoch FROM node_lease WHERE node = $1 FOR SHARE"
}
