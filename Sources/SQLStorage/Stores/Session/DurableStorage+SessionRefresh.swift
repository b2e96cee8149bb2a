package import Bridge

extension DurableStorage {
    package func refreshSession(
        digest: String, to successor: String, at now: Timestamp, replayed: Ending
    ) async throws -> SessionRefreshOutcome {
        try await write(isOfOneUse: true) { [endings] transaction in
            guard let found = try transaction.run(SessionRefreshSQL.select, [.text(digest)]).first else {
                return .refused
            }
            let id: SessionID = try found.identifier(0)
            guard try transaction.changes(SessionRefreshSQL.seen, [SQLValue(id), SQLValue(now)]),
                let session = try transaction.run(WebSessionSQL.selectByID, [SQLValue(id)]).first
                    .map(WebSession.init(row:)),
                // Read again: the session's row is held only now.
                let cookie = try transaction.run(SessionRefreshSQL.select, [.text(digest)]).first
            else { return .refused }
            guard try !Self.isSuperseded(cookie, digest, read: transaction.run) else {
                return .replayed(try transaction.end(.webSession(id), replayed, by: endings))
            }
            if try transaction.changes(SessionRefreshSQL.use, [.text(digest), SQLValue(now)]),
                let parent = try cookie.optionalText(1)
            {
                _ = try transaction.changes(
                    SessionRefreshSQL.voidSiblings, [SQLValue(id), .text(parent), .text(digest)])
            }
            try transaction.insertSessionRefresh(successor, of: session, parent: digest, at: now)
            return .refreshed(session)
        }
    }

    package func isSuperseded(refreshDigest: String) async throws -> Bool {
        try await look { session in
            guard let cookie = try session.run(SessionRefreshSQL.select, [.text(refreshDigest)]).first else {
                return false
            }
            return try Self.isSuperseded(cookie, refreshDigest, read: session.run)
        }
    }

    /// Whether a sibling was used in the cookie's place, or a successor of the cookie has been used.
    private static func isSuperseded(
        _ cookie: SQLRow, _ digest: String, read: (SQLStatement, [SQLValue]) throws -> [SQLRow]
    ) throws -> Bool {
        guard try cookie.integer(2) == 0 else { return true }
        return try !read(SessionRefreshSQL.usedChild, [.text(digest), cookie.values[0]]).isEmpty
    }

    package func session(refreshDigest: String) async throws -> WebSession? {
        try await look { session in
            guard let found = try session.run(SessionRefreshSQL.select, [.text(refreshDigest)]).first else {
                return nil
            }
            return try session.run(WebSessionSQL.selectByID, [found.values[0]]).first.map(WebSession.init(row:))
        }
    }
}

extension WriteTransaction {
    func insertSessionRefresh(_ digest: String, of session: WebSession, parent: String?, at now: Timestamp) throws {
        try submit(
            SessionRefreshSQL.insert,
            [.text(digest), SQLValue(session.id), SQLValue(parent), SQLValue(now), SQLValue(session.expiresAt)])
    }
}

/// The statements about refresh cookies.
enum SessionRefreshSQL {
    static let insert: SQLStatement = """
        INSERT INTO web_session_refresh (digest, session_id, parent_digest, issued_at, expires_at, is_void)
        VALUES ($1, $2, $3, $4, $5, 0)
        """

    static let select: SQLStatement = """
        SELECT session_id, parent_digest, is_void FROM web_session_refresh WHERE digest = $1
        """

    static let usedChild: SQLStatement = """
        SELECT digest FROM web_session_refresh WHERE parent_digest = $1 AND session_id = $2 AND used_at IS NOT NULL
        """

    static let use: SQLStatement = """
        UPDATE web_session_refresh SET used_at = $2 WHERE digest = $1 AND used_at IS NULL
        """

    /// Those that were given out for the same predecessor and never used.
    static let voidSiblings: SQLStatement = """
        UPDATE web_session_refresh SET is_void = 1
        WHERE session_id = $1 AND parent_digest = $2 AND digest <> $3 AND used_at IS NULL
        """

    /// Holds the session's row for as long as the transaction runs, and moves its idle end.
    static let seen = SQLStatement(
        """
        UPDATE web_session SET last_seen_at = CASE WHEN last_seen_at < $2 THEN $2 ELSE last_seen_at END
        WHERE id = $1 AND \(WebSessionSQL.isAlive)
        """)

    static let purge = ExpiredRows(of: "web_session_refresh", by: "digest")
}
