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
        try await write { [heldStanding] transaction in
            // Held for the reason that redeem has: a disabling must see this session, or come first.
            if let row = try transaction.run(heldStanding, [SQLValue(opened.subject)]).first,
                try row.optionalTimestamp(0) != nil
            {
                return false
            }
            if let replaced {
                let end = [SQLValue(replaced.id), SQLValue(opened.createdAt)]
                if try transaction.changes(WebSessionSQL.endIfAlive, end) {
                    try transaction.record(replaced.event.naming(replaced.id))
                    transaction.announce(ended: replaced.id)
                } else if replaced.isRaised {
                    return false
                }
            }
            guard try transaction.changes(WebSessionSQL.insert, opened.columns + [.null]) else {
                throw StorageError.corrupt("a new session's id is taken")
            }
            if let replaced, replaced.isRaised {
                try transaction.moveGrants(fromBrowserSession: replaced.id, to: opened.id)
            }
            for event in events { try transaction.record(event) }
            return true
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
