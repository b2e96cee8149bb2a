package import Bridge

extension DurableStorage: AuthorizationCodeStore {
    package func recordCode(_ code: IssuedAuthorizationCode, event: AuditEvent) async throws {
        try await write(anticipating: []) { transaction in
            try transaction.submit(AuthorizationCodeSQL.insert, code.columns)
            try transaction.record(event)
        }
    }

    package func code(digest: String) async throws -> AuthorizationCodeState? {
        try await read { session in
            try session.run(AuthorizationCodeSQL.select, [.text(digest)]).first.map(AuthorizationCodeState.init(row:))
        }
    }

    package func redeemCode(
        digest: String, opening session: AppSession, refreshToken: RefreshTokenRecord?, at now: Timestamp,
        events: [AuditEvent]
    ) async throws -> AuthorizationCodeRedeemOutcome {
        let redeem = SQLCall(AuthorizationCodeSQL.redeem, [.text(digest), SQLValue(now), SQLValue(session.id)])
        let standing = SQLCall(heldStanding, [SQLValue(session.subject)])
        return try await write(anticipating: [redeem, standing]) { [heldStanding] transaction in
            guard try transaction.changes(redeem) else {
                let use = try transaction.run(AuthorizationCodeSQL.use, [.text(digest)]).first
                return try use?.optionalTimestamp(0) == nil ? .gone : .alreadyUsed
            }
            // The code is used up by a disabled user too: nothing is given back.
            guard try transaction.isActive(session.subject, by: heldStanding) else { return .subjectDisabled }
            try transaction.insert(session, refreshToken: refreshToken)
            for event in events { try transaction.record(event) }
            return .opened
        }
    }

    package func recordCodeMiss(digest: String, limit: Int, event: AuditEvent, alwaysTells: Bool) async throws {
        try await write { transaction in
            let isGone =
                try transaction.changes(AuthorizationCodeSQL.recordMiss, [.text(digest)])
                && transaction.changes(AuthorizationCodeSQL.deleteMissed, [.text(digest), .integer(Int64(limit))])
            if isGone || alwaysTells { try transaction.record(event) }
        }
    }

    package func recordCodeReuse(
        digest: String, at now: Timestamp, reuse: AuditEvent, ended: AuditEvent, alwaysTells: Bool
    ) async throws -> [SessionID] {
        try await write { transaction in
            let use = try transaction.run(AuthorizationCodeSQL.use, [.text(digest)]).first
            let opened: SessionID? = try use?.optionalIdentifier(1)
            let told = opened.map(reuse.naming) ?? reuse
            let sessions = try transaction.endAppSessions(
                [opened].compactMap(\.self), at: now, first: [told], ended: ended)
            if sessions.isEmpty, alwaysTells { try transaction.record(told) }
            return sessions
        }
    }

    package func purgeCodes(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await write { transaction in
            try transaction.run(AuthorizationCodeSQL.purge, [SQLValue(cutoff), .integer(Int64(max(0, limit)))]).count
        }
    }
}
