import Bridge

/// A row of a queue of notices to external receivers.
protocol QueuedNotice: Sendable {
    var id: String { get }
    /// Who is told.
    var clientID: ClientID { get }
    /// How often it was taken up.
    var attempts: Int { get set }
    init(row: SQLRow) throws
}

/// The statements about a table of notices, which stay in it until they were heard or are given up.
struct NoticeQueue<Notice: QueuedNotice>: Sendable {
    /// The first notices of the first client after `$1`, and perhaps of those after it.
    ///
    /// Client by client, however many are due: a few rows of an index for each. The limit stands in it, because
    /// PostgreSQL plans by it.
    let first: SQLStatement
    /// One call takes a notice; it comes back at `$3` unless it is settled before.
    let take: SQLStatement
    let postpone: SQLStatement
    /// Undoes a ``take``, but for when the notice is due.
    let giveBack: SQLStatement
    let delete: SQLStatement
    /// The column of ``first`` that says when the notice becomes due.
    let dueColumn: Int

    /// Notices of one client that are taken at a time, so that one that answers nothing does not fill the list.
    private static var perClient: Int { 4 }

    /// - Parameter columns: what `Notice` reads, in its order.
    init(table: String, columns: [String]) {
        first = SQLStatement(
            """
            SELECT \(columns.joined(separator: ", ")), next_attempt_at FROM \(table)
            WHERE client_id > $1 ORDER BY client_id, next_attempt_at, id LIMIT \(Self.perClient)
            """)
        take = SQLStatement(
            """
            UPDATE \(table) SET attempts = attempts + 1, next_attempt_at = $3
            WHERE id = $1 AND next_attempt_at = $2
            """)
        postpone = SQLStatement("UPDATE \(table) SET next_attempt_at = $2 WHERE id = $1")
        giveBack = SQLStatement(
            "UPDATE \(table) SET attempts = attempts - 1, next_attempt_at = $2 WHERE id = $1")
        delete = SQLStatement("DELETE FROM \(table) WHERE id = $1")
        dueColumn = columns.count
    }

    /// What is due of clients that are not busy, a few of each, in the order in which it became due.
    fileprivate func due(
        at now: Timestamp, sparing busy: Set<ClientID>, _ session: any SQLSession
    ) throws -> [(notice: Notice, dueAt: Timestamp)] {
        var found: [(notice: Notice, dueAt: Timestamp)] = []
        // Before every name.
        var last = ""
        while true {
            let rows = try session.run(first, [.text(last)])
                .map { (notice: try Notice(row: $0), dueAt: try $0.timestamp(dueColumn)) }
            guard let client = rows.first?.notice.clientID else { break }
            if !busy.contains(client) {
                found += rows.prefix { $0.notice.clientID == client && $0.dueAt <= now }
            }
            last = client.rawValue
        }
        return found.sorted { ($0.dueAt, $0.notice.id) < ($1.dueAt, $1.notice.id) }
    }
}

extension DurableStorage {
    /// Takes what is due off the queue for as long as `lease`: each notice goes to one of several callers.
    func take<Notice>(
        from queue: NoticeQueue<Notice>, dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [Notice] {
        let due = try await read { session in
            try queue.due(at: now, sparing: busy, session).prefix(max(0, limit))
        }
        guard !due.isEmpty else { return [] }
        return try await write { transaction in
            try due.filter { item in
                try transaction.changes(
                    queue.take, [.text(item.notice.id), SQLValue(item.dueAt), SQLValue(now + lease)])
            }.map { item in
                var notice = item.notice
                notice.attempts += 1
                return notice
            }
        }
    }

    func postpone<Notice>(_ id: String, in queue: NoticeQueue<Notice>, until next: Timestamp) async throws {
        try await write { transaction in
            _ = try transaction.changes(queue.postpone, [.text(id), SQLValue(next)])
        }
    }

    /// Leaves a notice that was taken to others, as if it had not been.
    func giveBack<Notice>(_ id: String, to queue: NoticeQueue<Notice>, until next: Timestamp) async throws {
        try await write { transaction in
            _ = try transaction.changes(queue.giveBack, [.text(id), SQLValue(next)])
        }
    }

    /// Removes a notice and records how it went; the first to say so is the one that counts.
    func settle<Notice>(_ id: String, in queue: NoticeQueue<Notice>, event: AuditEvent) async throws {
        try await write { transaction in
            guard try transaction.changes(queue.delete, [.text(id)]) else { return }
            try transaction.record(event)
        }
    }
}
