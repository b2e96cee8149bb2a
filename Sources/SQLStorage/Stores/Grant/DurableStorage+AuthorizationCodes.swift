package import Bridge

extension DurableStorage: AuthorizationCodeStore {
    package func recordCode(_ code: IssuedAuthorizationCode, event: AuditEvent) async throws -> Bool {
        // Held, so that an end of the session waits and finds the code, or comes first.
        let carrier = SQLCall(heldWebSession, [SQLValue(code.grant.browserSessionID)])
        return try await write(anticipating: [carrier]) { transaction in
            guard try transaction.run(carrier).first.map({ try $0.optionalTimestamp(0) == nil }) ?? false else {
                return false
            }
            try transaction.submit(AuthorizationCodeSQL.insert, code.columns)
            try transaction.record(event)
            return true
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
        let standing = SQLCall(heldStanding, [SQLValue(session.subject)])
        let carrier = SQLCall(heldWebSession, [SQLValue(session.browserSessionID)])
        let redeem = SQLCall(AuthorizationCodeSQL.redeem, [.text(digest), SQLValue(now), SQLValue(session.id)])
        // From the top of the tree down, as an end goes, so that the two never wait for each other.
        return try await write(anticipating: [standing, carrier, redeem]) {
            [heldStanding, heldWebSession] transaction in
            guard try transaction.isActive(session.subject, by: heldStanding) else { return .subjectDisabled }
            var session = session
            if try transaction.run(carrier).first.map({ try $0.optionalTimestamp(0) != nil }) ?? true {
                // Another session may have taken that one's place in the browser since the code was looked up.
                guard
                    let moved: SessionID = try transaction.run(AuthorizationCodeSQL.browserSession, [.text(digest)])
                        .first?.optionalIdentifier(0), moved != session.browserSessionID,
                    let row = try transaction.run(heldWebSession, [SQLValue(moved)]).first,
                    try row.optionalTimestamp(0) == nil
                else { return .gone }
                session = session.going(onUnder: moved)
            }
            guard try transaction.changes(redeem) else {
                let use = try transaction.run(AuthorizationCodeSQL.use, [.text(digest)]).first
                return try use?.optionalTimestamp(0) == nil ? .gone : .alreadyUsed
            }
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
        digest: String, reuse: AuditEvent, ending: Ending, alwaysTells: Bool
    ) async throws -> Ended {
        try await write { [endings] transaction in
            let use = try transaction.run(AuthorizationCodeSQL.use, [.text(digest)]).first
            let opened: SessionID? = try use?.optionalIdentifier(1)
            let told = opened.map(reuse.naming) ?? reuse
            let ended =
                try opened.map { try transaction.end(.appSession($0), ending, by: endings, first: [told]) } ?? .nothing
            if ended.isEmpty, alwaysTells { try transaction.record(told) }
            return ended
        }
    }

    package func purgeCodes(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await write { transaction in
            try transaction.run(AuthorizationCodeSQL.purge, [SQLValue(cutoff), .integer(Int64(max(0, limit)))]).count
        }
    }
}
