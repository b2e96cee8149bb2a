package import Bridge

extension DurableStorage: SessionRefreshStore {
    package func refreshSession(
        digest: String, to successor: String, at now: Timestamp, replayed: Ending
    ) async throws -> SessionRefreshOutcome {
        try await write { [endings] transaction in
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
        try await read { session in
            guard let cookie = try session.run(SessionRefreshSQL.select, [.text(refreshDigest)]).first else {
                return false
            }
            return try Self.isSuperseded(cookie, refreshDigest, read: session.run)
        }
    }

    /// Whether a sibling was used in the cookie's place, or what came of it has been used.
    private static func isSuperseded(
        _ cookie: SQLRow, _ digest: String, read: (SQLStatement, [SQLValue]) throws -> [SQLRow]
    ) throws -> Bool {
        guard try cookie.integer(3) == 0 else { return true }
        return try !read(SessionRefreshSQL.usedChild, [.text(digest), cookie.values[0]]).isEmpty
    }

    package func session(refreshDigest: String) async throws -> WebSession? {
        try await read { session in
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
