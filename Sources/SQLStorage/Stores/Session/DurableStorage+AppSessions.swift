package import Bridge

extension DurableStorage: AppSessionStore {
    package func open(
        _ session: AppSession, refreshToken: RefreshTokenRecord?, events: [AuditEvent]
    ) async throws -> AppSessionOpenOutcome {
        let standing = SQLCall(heldStanding, [SQLValue(session.subject)])
        let parent = session.parentID.map { SQLCall(heldAppSession, [SQLValue($0)]) }
        return try await write(anticipating: [standing, parent].compactMap(\.self)) { [heldStanding] transaction in
            guard try transaction.isActive(session.subject, by: heldStanding) else { return .subjectDisabled }
            if let parent {
                guard let row = try transaction.run(parent).first, try row.optionalTimestamp(0) == nil
                else { return .parentEnded }
            }
            try transaction.insert(session, refreshToken: refreshToken)
            for event in events { try transaction.record(event) }
            return .opened
        }
    }

    package func appSession(id: SessionID) async throws -> AppSession? {
        try await read { session in
            try session.run(AppSessionSQL.select, [SQLValue(id)]).first.map { try AppSession(row: $0) }
        }
    }

    package func appSessions(
        of subject: Subject, aliveAt now: Timestamp, limit: Int
    ) async throws -> [AppSession] {
        try await read { session in
            try session.run(
                AppSessionSQL.aliveOf, [SQLValue(subject), SQLValue(now), .integer(Int64(max(0, limit)))]
            ).map { try AppSession(row: $0) }
        }
    }

    package func purgeAppSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await write { transaction in
            let bounds: [SQLValue] = [SQLValue(cutoff), .integer(Int64(max(0, limit)))]
            try transaction.run(RefreshTokenSQL.purge, bounds)
            return try transaction.run(AppSessionSQL.purge, bounds).count
        }
    }
}
