import Bridge

/// Finds out whether a database is the one that was left, or an earlier state of it, and if so ends what could be used
/// a second time (ADR-0030).
struct RestoreCheck {
    let node: String
    let dialect: SQLDialect
    /// What was noted beside the database, at the start of a process that notes it.
    let mark: CommitMark.Found?
    let keepsMark: Bool
    /// What other nodes that run now have noted last, by their names, where this node has noted nothing.
    var neighbours: [String: SeenCommit] = [:]
    let seen: SeenCommit
    /// The restore number under which this process wrote what it has seen; `nil` at its start, when the mark may say it.
    var known: Int64?

    /// What was found.
    struct Outcome {
        let number: Int64
        /// What counts as seen from now on.
        let seen: SeenCommit
        let notice: RestoreNotice?
        /// Whether this raised the number, and ended what could be used twice.
        let isRaised: Bool
    }

    /// Longer than any clock is wrong. Only tokens whose issue the database does not know are told by the time, and
    /// after this there are none that anyone should still have.
    private static let allowance = Duration.seconds(300)

    /// - Throws: ``SQLError``.
    func run(_ session: any SQLSession, identity: String, at now: Timestamp) throws -> Outcome {
        let end = try AuditChainEnd.find(of: node, session.run)
        let transaction = try session.run(dialect.lease.transaction).first?.integer(0) ?? 0
        var current = SeenCommit(end, transaction: transaction)
        let isIdentified = dialect.lease.identifiesDatabase
        let marked = isIdentified ? identity : (keepsMark ? "marked" : "")
        let isNew = try session.change(RestoreSQL.insert, [.text(marked), .integer(0)]) > 0
        guard let row = try session.run(dialect.lease.restorePoint).first else {
            throw SQLError(kind: .unavailable, text: "the database does not say how often it was restored")
        }
        let number = try row.integer(0)
        let found = try row.text(1)
        let known = try self.known ?? markedNumber(before: row.optionalTimestamp(2))
        let isSame = isNew || (isIdentified && found == identity)
        let verdict = Verdict.of(
            missing: try flaw(in: session, end: end, transaction: transaction),
            otherDatabase: isSame ? nil : try flaw(in: session, ofDatabase: found), number: number,
            known: isIdentified ? known : nil)
        switch verdict {
        case .same, .counted:
            if found != marked, keepsMark || isIdentified {
                _ = try session.change(RestoreSQL.identify, [.text(marked)])
            }
            var notice: RestoreNotice?
            if case .counted(let reason?) = verdict { notice = RestoreNotice(at: now, reason: reason) }
            current.epoch = SeenCommit.Epoch(number: number, at: now)
            return Outcome(number: number, seen: current, notice: notice, isRaised: false)
        case .restored(let reason):
            try Self.raise(session, identity: marked, at: now)
            current.epoch = SeenCommit.Epoch(number: number + 1, at: now)
            let notice = RestoreNotice(at: now, reason: reason)
            return Outcome(number: number + 1, seen: current, notice: notice, isRaised: true)
        }
    }

    /// The restore number that the mark was made under, where the database was restored last after that: what a server
    /// wrote later than a restore that the database counts, beside whoever counted it, is not covered by the count.
    private func markedNumber(before restoredAt: Timestamp?) -> Int64? {
        guard case .certain(let commit) = mark, let epoch = commit.epoch, let restoredAt, epoch.at <= restoredAt
        else { return nil }
        return epoch.number
    }

    /// What the signs mean.
    enum Verdict: Hashable {
        /// The database that was left.
        case same
        /// Another node already counted this restore and ended what could be used twice; the reason says what this node
        /// lost besides.
        case counted(RestoreNotice.Reason?)
        case restored(RestoreNotice.Reason)

        /// - Parameters:
        ///   - missing: what this process has seen and the database lacks.
        ///   - otherDatabase: that the database is not the one that was counted last.
        ///   - number: the database's restore number.
        ///   - known: under which number this process, or the one before it, wrote what it has seen.
        static func of(
            missing: RestoreNotice.Reason?, otherDatabase: RestoreNotice.Reason?, number: Int64, known: Int64?
        ) -> Verdict {
            if let otherDatabase { return .restored(missing ?? otherDatabase) }
            guard let missing else { return .same }
            // The number only grows, and was `known` when what is missing was written. So it grew in a history that never
            // had this, which is the one that was found out then. What another server counted means nothing here.
            guard let known, number > known else { return .restored(missing) }
            return .counted(missing == .eventsMissing ? missing : nil)
        }
    }

    /// Counts the restore, and ends what may have been used in the time that the database does not remember.
    static func raise(_ session: any SQLSession, identity: String, at now: Timestamp) throws {
        _ = try session.change(RestoreSQL.identify, [.text(identity)])
        for call in raise(at: now) { _ = try session.change(call.statement, call.arguments) }
    }

    static func raise(at now: Timestamp) -> [SQLCall] {
        [
            SQLCall(RestoreSQL.raise, [SQLValue(now), SQLValue(now + allowance)]),
            SQLCall(RestoreSQL.endTokens, [SQLValue(now), SQLValue(now - allowance)]),
        ] + RestoreSQL.removals.map { SQLCall($0, [SQLValue(now - allowance)]) }
            + RestoreSQL.wholeRemovals.map { SQLCall($0) }
    }

    /// Whether something that was seen is not there.
    private func flaw(
        in session: any SQLSession, end: AuditChainEnd?, transaction: Int64
    ) throws -> RestoreNotice.Reason? {
        var seen = [self.seen]
        if case .certain(let marked) = mark { seen.append(marked) }
        guard try seen.allSatisfy({ try has($0, of: node, endingAt: end, session) }) else { return .eventsMissing }
        // What another server counted means nothing here; that it is another shows by itself.
        return seen.contains { $0.transaction > transaction } ? .transactionsMissing : nil
    }

    private func has(
        _ commit: SeenCommit, of node: String, endingAt end: AuditChainEnd?, _ session: any SQLSession
    ) throws -> Bool {
        guard commit.sequence > 0 else { return true }
        guard (end?.sequence ?? 0) >= commit.sequence else { return false }
        let row = try session.run(RestoreSQL.hash, [.text(node), .integer(commit.sequence)]).first
        // An old one may have been removed by retention.
        return row.map { $0.values[0] == .text(commit.hash) } ?? true
    }

    /// - Parameter found: what the database says of itself, which is not what it should.
    private func flaw(in session: any SQLSession, ofDatabase found: String) throws -> RestoreNotice.Reason? {
        guard !dialect.lease.identifiesDatabase else { return .otherServer }
        return switch mark {
        case .doubtful: .unknownEnd
        case .missing: try found == "marked" && !isVouchedFor(session) ? .unknownEnd : nil
        case .certain, nil: nil
        }
    }

    /// Whether others use the database now, and it has what they noted: a new name is then no sign of a copy.
    private func isVouchedFor(_ session: any SQLSession) throws -> Bool {
        guard neighbours.values.contains(where: { $0.sequence > 0 }) else { return false }
        return try neighbours.allSatisfy { node, commit in
            try has(commit, of: node, endingAt: AuditChainEnd.find(of: node, session.run), session)
        }
    }
}

/// A commit that the database must know of, if it is the one that it was.
struct SeenCommit: Hashable, Sendable {
    /// The last event of the node's own chain.
    var sequence: Int64 = 0
    var hash = ""
    /// The engine's own count.
    var transaction: Int64 = 0
    /// `nil` where it is not known.
    var epoch: Epoch?

    /// When a commit was noted, and how often the database had been restored by then.
    struct Epoch: Hashable, Sendable {
        let number: Int64
        let at: Timestamp
    }

    init() {}

    init(sequence: Int64, hash: String, transaction: Int64) {
        self.sequence = sequence
        self.hash = hash
        self.transaction = transaction
    }

    /// - Parameter end: the chain's end as the database has it.
    init(_ end: AuditChainEnd?, transaction: Int64 = 0) {
        self.transaction = transaction
        guard let end, case .text(let hash) = end.hash else { return }
        sequence = end.sequence
        self.hash = hash
    }
}

/// A database was found to be in an earlier state.
struct RestoreNotice: Hashable, Sendable {
    enum Reason: String, Sendable {
        /// Events that this node wrote are not there.
        case eventsMissing = "events_missing"
        case transactionsMissing = "transactions_missing"
        /// A standby took over, or the tables were loaded into another database.
        case otherServer = "other_server"
        /// The machine stopped without notice, or the folder is a copy: what came last cannot be known.
        case unknownEnd = "unknown_end"
        /// An operator said so.
        case command = "restored"
    }

    let at: Timestamp
    let reason: Reason

    var event: AuditEvent {
        AuditEvent(at: at, type: .databaseRestored, outcome: .success, reason: reason.rawValue)
    }
}

enum RestoreSQL {
    static let insert: SQLStatement = """
        INSERT INTO restore_point (id, number, identity, tokens_void_until) VALUES (1, 0, $1, $2)
        ON CONFLICT (id) DO NOTHING
        """
    static let identify: SQLStatement = "UPDATE restore_point SET identity = $1 WHERE id = 1"
    static let raise: SQLStatement = """
        UPDATE restore_point SET number = number + 1, restored_at = $1, tokens_void_until = $2 WHERE id = 1
        """
    static let hash: SQLStatement = "SELECT hash FROM audit_event WHERE node = $1 AND sequence = $2"

    /// Login tokens that live; `$1` is now, and what expired before `$2` is past use.
    static let endTokens: SQLStatement = """
        UPDATE login_token_use SET state = 'revoked', used_at = $1 WHERE state = 'pending' AND expires_at > $2
        """
    /// Other things that count once, and the answers from which a login token would be made again. What expired before
    /// `$1` is past use: no write begins before this is done, so it must not take longer the longer rows are kept.
    static let removals: [SQLStatement] = [
        "DELETE FROM idempotency_key WHERE expires_at > $1",
        "DELETE FROM authorization_code WHERE redeemed_at IS NULL AND expires_at > $1",
    ]
    /// Those of which there are never many.
    static let wholeRemovals: [SQLStatement] = [
        "DELETE FROM pushed_request", "DELETE FROM self_issued_transaction", "DELETE FROM cross_device",
    ]

    /// Nodes other than `$1` that are there at `$2`.
    static let living: SQLStatement = "SELECT node FROM node_lease WHERE node <> $1 AND expires_at > $2 ORDER BY node"

    /// A row for a token, `$2`, issued at `$1`, whose issue went with what the database lost.
    static let lost: SQLStatement = """
        SELECT 1 FROM restore_point
        WHERE tokens_void_until > $1 AND NOT EXISTS (SELECT 1 FROM login_token_use WHERE token_id = $2)
        """
}
