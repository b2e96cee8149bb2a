package import Bridge

extension DurableStorage: WebSessionStore {
    package func session(secretDigest: String) async throws -> WebSession? {
        try await read { session in
            try session.run(WebSessionSQL.selectBySecret, [.text(secretDigest)]).first.map(WebSession.init(row:))
        }
    }

    package func session(id: SessionID) async throws -> WebSession? {
        try await read { session in
            try session.run(WebSessionSQL.selectByID, [SQLValue(id)]).first.map(WebSession.init(row:))
        }
    }

    package func touch(_ id: SessionID, at now: Timestamp) async throws {
        try await write { transaction in
            _ = try transaction.changes(WebSessionSQL.touch, [SQLValue(id), SQLValue(now)])
        }
    }

    package func end(_ id: SessionID, at now: Timestamp, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(WebSessionSQL.end, [SQLValue(id), SQLValue(now)]) else { return false }
            try transaction.record(event)
            transaction.announce(ended: id)
            return true
        }
    }

    package func sessionsEnded(since: Timestamp) async throws -> [SessionID] {
        try await read { session in
            try session.run(WebSessionSQL.endedSince, [SQLValue(since)]).map { try $0.identifier(0) }
        }
    }

    package func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await write { transaction in
            try transaction.run(WebSessionSQL.purge, [SQLValue(cutoff), .integer(Int64(max(0, limit)))]).count
        }
    }
}
