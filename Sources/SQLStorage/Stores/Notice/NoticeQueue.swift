import Bridge

/// A row of a queue of notices to somebody outside.
protocol QueuedNotice: Sendable {
    var id: String { get }
    /// Who is told.
    var clientID: ClientID { get }
    /// Times that somebody took it up.
    var attempts: Int { get set }
    init(row: SQLRow) throws
}

/// The statements about a table of notices, which stay in it until they were heard or are given up.
struct NoticeQueue<Notice: QueuedNotice>: Sendable {
    /// Of each client the `$3` first, so that one that answers nothing does not fill the list.
    let due: SQLStatement
    /// One call takes a notice; it comes back at `$3` unless it is settled before.
    let take: SQLStatement
    let postpone: SQLStatement
    let delete: SQLStatement
    /// The column of ``due`` that says when the notice became due.
    let dueColumn: Int

    /// - Parameter columns: what `Notice` reads, in its order.
    init(table: String, columns: [String]) {
        due = SQLStatement(
            """
            SELECT \(columns.joined(separator: ", ")), next_attempt_at FROM
                (SELECT *, row_number() OVER (PARTITION BY client_id ORDER BY next_attempt_at, id) AS place
                FROM \(table) WHERE next_attempt_at <= $1) AS due
            WHERE place <= $3 ORDER BY next_attempt_at, id LIMIT $2
            """)
        take = SQLStatement(
            """
            UPDATE \(table) SET attempts = attempts + 1, next_attempt_at = $3
            WHERE id = $1 AND next_attempt_at = $2
            """)
        postpone = SQLStatement("UPDATE \(table) SET next_attempt_at = $2 WHERE id = $1")
        delete = SQLStatement("DELETE FROM \(table) WHERE id = $1")
        dueColumn = columns.count
    }
}

extension DurableStorage {
    /// Notices of one client that are taken at a time.
    private static var noticesPerClient: Int64 { 4 }

    /// Takes what is due off the queue for as long as `lease`: of several callers each notice goes to one.
    func take<Notice>(
        from queue: NoticeQueue<Notice>, dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [Notice] {
        let window = SQLValue.integer(Int64(max(0, limit) + busy.count * Int(Self.noticesPerClient)))
        let due = try await read { session in
            try session.run(queue.due, [SQLValue(now), window, .integer(Self.noticesPerClient)])
                .map { (notice: try Notice(row: $0), dueAt: try $0.timestamp(queue.dueColumn)) }
                .filter { !busy.contains($0.notice.clientID) }.prefix(max(0, limit))
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

    /// Removes a notice and records how it went; the first to say so is the one that counts.
    func settle<Notice>(_ id: String, in queue: NoticeQueue<Notice>, event: AuditEvent) async throws {
        try await write { transaction in
            guard try transaction.changes(queue.delete, [.text(id)]) else { return }
            try transaction.record(event)
        }
    }
}
