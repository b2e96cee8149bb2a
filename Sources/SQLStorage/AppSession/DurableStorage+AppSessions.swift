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

    package func endAppSession(
        _ id: SessionID, at now: Timestamp, first: [AuditEvent], ended: AuditEvent
    ) async throws -> [SessionID] {
        try await write { transaction in
            try transaction.endAppSessions([id], at: now, first: first, ended: ended)
        }
    }

    package func endAppSessions(
        underBrowserSession id: SessionID, at now: Timestamp, ended: AuditEvent
    ) async throws -> [SessionID] {
        try await write { transaction in
            try transaction.endAppSessions(underBrowserSession: id, at: now, ended: ended)
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

extension WriteTransaction {
    /// What becomes of what was granted under a browser session whose place another took, in the same transaction.
    func settleGrants(under replaced: ReplacedSession, in new: SessionID, at now: Timestamp) throws {
        guard !replaced.isSameUser else { return try moveGrants(fromBrowserSession: replaced.id, to: new) }
        var ended = replaced.event
        ended.sessionID = nil
        ended.targetClientID = nil
        _ = try endAppSessions(underBrowserSession: replaced.id, at: now, ended: ended)
    }

    /// Hangs what apps were granted under one browser session under another of the same user.
    private func moveGrants(fromBrowserSession old: SessionID, to new: SessionID) throws {
        // Codes first, as at an end.
        _ = try changes(AuthorizationCodeSQL.moveToBrowserSession, [SQLValue(old), SQLValue(new)])
        _ = try changes(AppSessionSQL.moveToBrowserSession, [SQLValue(old), SQLValue(new)])
    }

    /// As ``AppSessionStore/endAppSessions(underBrowserSession:at:ended:)``, for a verb that ends the browser session
    /// in the same transaction.
    func endAppSessions(
        underBrowserSession id: SessionID, at now: Timestamp, ended: AuditEvent
    ) throws -> [SessionID] {
        // Codes first: one that is being redeemed elsewhere is waited for, and its session then found below.
        _ = try changes(AuthorizationCodeSQL.deleteUnderBrowserSession, [SQLValue(id), SQLValue(now)])
        let sessions = try run(AppSessionSQL.underBrowserSession, [SQLValue(id), SQLValue(now)])
            .map { try AppSession(row: $0) }
        for session in sessions where session.isOffline && session.wantsLogoutNotice {
            try insertLogoutNotice(for: session, at: now)
        }
        return try endAppSessions(sessions.filter { !$0.isOffline }.map(\.id), at: now, ended: ended)
    }
}
