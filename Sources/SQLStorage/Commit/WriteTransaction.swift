import Bridge

/// What is written along with every event, in its transaction, such as a notice to a client that waits for it.
typealias EventFollower = @Sendable ([AuditEvent], WriteTransaction) throws -> Void

/// What a write may do inside the writer's transaction.
final class WriteTransaction {
    private let session: any SQLSession
    private let follow: EventFollower
    private(set) var chain: AuditChain
    /// The chain's last records, until there are enough for a statement, or one wants to see them.
    private var records: [AuditRecord] = []
    /// What was run ahead for the write whose turn it is.
    private var anticipated = AnticipatedAnswers()
    /// Whether a write changed something by itself since statements were last run ahead.
    private var hasChanged = false
    /// What the node signed in this transaction.
    private(set) var notes: [AuditNote] = []
    /// What other nodes should hear of: sessions that the transaction ends, keys that it changes.
    private var news: [String] = []
    private var hasEndedSessions = false

    /// Messages that are sent as one: PostgreSQL takes 8000 bytes.
    private static let newsPerNotice = 64

    init(session: any SQLSession, chain: AuditChain, following follow: @escaping EventFollower) {
        self.session = session
        self.follow = follow
        self.chain = chain
    }

    @discardableResult
    func run(_ statement: SQLStatement, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        if let answer = anticipated.take(statement, arguments) { return answer.rows }
        if statement.namesLog { try storeRecords() }
        let rows = try session.run(statement, arguments)
        if !statement.isQuery { hasChanged = true }
        return rows
    }

    /// Whether the statement wrote any row.
    func changes(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Bool {
        try change(statement, arguments) > 0
    }

    /// How many rows the statement wrote.
    func change(_ statement: SQLStatement, _ arguments: [SQLValue] = []) throws -> Int {
        if let answer = anticipated.take(statement, arguments) { return answer.changes }
        if statement.namesLog { try storeRecords() }
        let count = try session.change(statement, arguments)
        if count > 0 { hasChanged = true }
        return count
    }

    /// Runs a statement whose rows are not needed, and which most likely succeeds; saves a round trip.
    func submit(_ statement: SQLStatement, _ arguments: [SQLValue]) throws {
        try session.submit(statement, arguments)
    }

    /// Appends an event to the node's chain and stores it, with what follows it.
    func record(_ event: AuditEvent) throws { try record([event]) }

    /// As ``record(_:)``, with what follows all of them together.
    func record(_ events: [AuditEvent]) throws {
        for event in events {
            records.append(chain.append(event))
            if records.count == AuditSQL.mostTogether { try storeRecords() }
        }
        try follow(events, self)
    }

    /// Stores the records that wait for more; before anything asks for them, and before the transaction or a write's
    /// savepoint ends.
    func storeRecords() throws {
        var rest = records[...]
        for (count, insert) in AuditSQL.inserts {
            while rest.count >= count {
                try session.submit(insert, rest.prefix(count).flatMap(\.columns))
                rest = rest.dropFirst(count)
            }
        }
        records.removeAll(keepingCapacity: true)
    }

    /// Lets every node know, once the transaction is committed, that a session has ended.
    func announce(ended id: SessionID) {
        news.append(id.rawValue)
        hasEndedSessions = true
    }

    /// Lets every node know, once the transaction is committed, that signing keys have changed.
    func announceKeyChange() { news.append(RevocationNews.keyChange) }

    /// Makes sure that ends of a later transaction have another number, where the engine does not count by itself.
    func advanceNumber(_ dialect: SQLDialect) throws {
        if hasEndedSessions, let advance = dialect.advanceNumber { try session.submit(advance, []) }
    }

    /// What tells of all that was announced, for after the commit; also of what a write announced that was undone, which
    /// costs nodes a look-up.
    func announcements(_ dialect: SQLDialect) -> [SQLCall] {
        guard let statement = dialect.sessionEndNews else { return [] }
        return stride(from: 0, to: news.count, by: Self.newsPerNotice).map { start in
            let part = news[start..<min(start + Self.newsPerNotice, news.count)]
            return SQLCall(statement, [.text(part.joined(separator: ","))])
        }
    }

    /// Stores a signed statement about the chain as it is.
    func record(_ checkpoint: AuditCheckpoint) throws {
        try session.submit(AuditSQL.insertCheckpoint, checkpoint.columns)
        chain.checkpointedSize = checkpoint.size
        notes.append(.checkpoint(checkpoint))
    }

    /// Removes a checkpoint that says nothing which others do not; not what was put in its place.
    func remove(_ checkpoint: AuditCheckpoint) throws {
        try session.submit(
            AuditSQL.deleteCheckpoint, [.text(checkpoint.node), .integer(checkpoint.size), .text(checkpoint.note)])
    }

    /// Makes sure that a checkpoint is there when this is committed, although others may be removing it: what is put
    /// in again is not what they found.
    func keep(_ checkpoint: AuditCheckpoint) throws {
        try remove(checkpoint)
        try session.submit(AuditSQL.insertCheckpoint, checkpoint.columns)
    }

    /// Stores a signed statement about what is gone, and an event that tells of it.
    func record(_ cut: AuditCut) throws {
        try session.submit(AuditSQL.insertCut, cut.columns)
        notes.append(.cut(cut))
        try record(cut.event)
    }

    /// Puts the chain back to where it was before a write that was undone.
    /// - Parameter noteCount: how many notes there were then.
    func rewind(to chain: AuditChain, noteCount: Int) {
        self.chain = chain
        records = []
        notes.removeLast(notes.count - noteCount)
    }
}

extension WriteTransaction {
    func run(_ call: SQLCall) throws -> [SQLRow] { try run(call.statement, call.arguments) }

    func changes(_ call: SQLCall) throws -> Bool { try changes(call.statement, call.arguments) }
}

extension WriteTransaction {
    /// Runs what several writes in a row will run first, and then each of them with its answers.
    /// - Throws: ``AnticipationMissed`` when one goes another way, so that this counts for nothing.
    func attempt(_ writes: ArraySlice<PendingWrite>) throws -> [@Sendable () -> Void] {
        let calls = writes.flatMap { $0.anticipated ?? [] }
        try storeRecords()
        var answers = try calls.isEmpty ? [] : session.runAll(calls)[...]
        hasChanged = false
        return try writes.map { write in
            let calls = write.anticipated ?? []
            // What was run ahead for this one did not see what one before it changed.
            guard calls.isEmpty || !hasChanged else { throw AnticipationMissed() }
            anticipated = AnticipatedAnswers(calls, answers.prefix(calls.count))
            answers = answers.dropFirst(calls.count)
            defer { anticipated = AnticipatedAnswers() }
            let answer = try write.attempt(self)
            guard !anticipated.leavesChange else { throw AnticipationMissed() }
            return answer
        }
    }
}
