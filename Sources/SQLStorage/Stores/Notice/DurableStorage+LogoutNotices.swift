package import Bridge

extension DurableStorage: LogoutNoticeStore {
    package func changeLogoutSubscribers(
        adding added: Set<ClientID>, removing removed: Set<ClientID>
    ) async throws {
        try await change(subscribers: .logouts, adding: added, removing: removed)
    }

    package func takeLogoutNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [LogoutNotice] {
        try await take(from: LogoutNoticeSQL.queue, dueAt: now, lease: lease, limit: limit, sparing: busy)
    }

    package func postponeLogoutNotice(_ id: String, until next: Timestamp) async throws {
        try await postpone(id, in: LogoutNoticeSQL.queue, until: next)
    }

    package func giveBackLogoutNotice(_ id: String, until next: Timestamp) async throws {
        try await giveBack(id, to: LogoutNoticeSQL.queue, until: next)
    }

    package func settleLogoutNotice(_ id: String, event: AuditEvent) async throws {
        try await settle(id, in: LogoutNoticeSQL.queue, event: event)
    }
}

extension LogoutNotice: QueuedNotice {
    init(row: SQLRow) throws {
        self.init(
            id: try row.text(0), clientID: try row.identifier(1), subject: try row.identifier(2),
            sessionID: try row.identifier(3), createdAt: try row.timestamp(4), attempts: try row.count(5))
    }
}

/// The statements about the queue of logout notices.
enum LogoutNoticeSQL {
    /// Word of such app sessions as hold what is asked of `o`, for their clients, if these have somewhere to be told.
    /// The session's id will do for the notice's: one end, one notice.
    static func insertAppSessionEnds(where condition: String, at now: String) -> SQLStatement {
        insert(from: "app_session", where: condition, at: now)
    }
    /// As ``insertAppSessionEnds(where:at:)``, of web sessions.
    static func insertWebSessionEnds(where condition: String, at now: String) -> SQLStatement {
        insert(from: "web_session", where: "\(condition) AND \(isToldOfNothingElse(at: now))", at: now)
    }

    /// Word of all sessions that are about to be ended at `$1`.
    static let insertAllAppSessionEnds = insertAppSessionEnds(where: isAlive, at: "$1")
    static let insertAllWebSessionEnds = insertWebSessionEnds(where: isAlive, at: "$1")

    private static let isAlive = "o.ended_at IS NULL AND o.expires_at > $1"

    /// Whether the website of the web session `o` was granted nothing in it that lives, or ends along: it hears of that
    /// by the `sid` of its ID token, and a second notice would be one too many.
    private static func isToldOfNothingElse(at now: String) -> String {
        """
        NOT EXISTS (SELECT 1 FROM app_session a
            WHERE a.browser_session_id = o.id AND COALESCE(a.granted_in, o.id) = o.id AND a.client_id = o.client_id
                AND (a.ended_at IS NULL OR a.ended_at = \(now)) AND a.expires_at > \(now))
        """
    }

    private static func insert(from table: String, where condition: String, at now: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO logout_notice (id, client_id, subject, session_id, created_at, attempts, next_attempt_at)
            SELECT o.id, o.client_id, o.subject, o.id, CAST(\(now) AS BIGINT), 0, CAST(\(now) AS BIGINT)
            FROM \(table) o JOIN logout_subscriber s ON s.client_id = o.client_id WHERE \(condition)
            ON CONFLICT (id) DO NOTHING
            """)
    }

    static let queue = NoticeQueue<LogoutNotice>(
        table: "logout_notice", columns: ["id", "client_id", "subject", "session_id", "created_at", "attempts"])
}
