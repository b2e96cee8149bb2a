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

    package func open(
        _ opened: WebSession, replacing replaced: ReplacedSession?, events: [AuditEvent]
    ) async throws -> Bool {
        let standing = SQLCall(heldStanding, [SQLValue(opened.subject)])
        let end = replaced.map { SQLCall(WebSessionSQL.endIfAlive, [SQLValue($0.id), SQLValue(opened.createdAt)]) }
        let insert = SQLCall(WebSessionSQL.insert, opened.columns + [.null])
        // One that is raised is refused by what comes of the statements before.
        let course = replaced?.isRaised == true ? nil : [standing, end, insert].compactMap(\.self)
        return try await write(anticipating: course) { transaction in
            // Held for the reason that redeem has: a disabling must see this session, or come first.
            if let row = try transaction.run(standing).first, try row.optionalTimestamp(0) != nil { return false }
            var hasReplaced = false
            if let replaced, let end {
                hasReplaced = try transaction.changes(end)
                if hasReplaced {
                    try transaction.record(replaced.event.naming(replaced.id))
                    transaction.announce(ended: replaced.id)
                } else if replaced.isRaised {
                    return false
                }
            }
            guard try transaction.changes(insert) else {
                throw StorageError.corrupt("a new session's id is taken")
            }
            if let replaced, hasReplaced {
                try transaction.settleGrants(under: replaced, in: opened.id, at: opened.createdAt)
            }
            for event in events { try transaction.record(event) }
            return true
        }
    }

    package func touch(_ id: SessionID, at now: Timestamp) async throws {
        try await write(anticipating: []) { transaction in
            try transaction.submit(WebSessionSQL.touch, [SQLValue(id), SQLValue(now)])
        }
    }

    package func end(_ id: SessionID, at now: Timestamp, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(WebSessionSQL.end, [SQLValue(id), SQLValue(now)]) else { return false }
            try transaction.record(event)
            transaction.announce(ended: id)
            // What apps were granted under this browser's sign-in ends with it, unless it was granted for longer.
            var ended = event
            ended.sessionID = nil
            ended.targetClientID = nil
            _ = try transaction.endAppSessions(underBrowserSession: id, at: now, ended: ended)
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
            let bounds: [SQLValue] = [SQLValue(cutoff), .integer(Int64(max(0, limit)))]
            _ = try transaction.changes(SessionRefreshSQL.purge, bounds)
            return try transaction.run(WebSessionSQL.purge, bounds).count
        }
    }
}
