package import Bridge
package import OAuth2

extension DurableStorage: LoginTokenStore {
    package func recordIssue(
        _ token: IssuedLoginToken, scope: Scope?, namedFirstBy issuer: String?, idempotency: IdempotencyRecord?,
        event: AuditEvent
    ) async throws -> LoginTokenIssueOutcome {
        let user = issuer.map {
            SQLCall(SubjectSQL.insert, [SQLValue(token.subject), .text($0), SQLValue(event.at)])
        }
        let claim = idempotency.map { SQLCall(LoginTokenSQL.claimKey, $0.columns + [SQLValue(token.issuedAt)]) }
        return try await write(anticipating: [user, claim].compactMap(\.self)) { transaction in
            if let user, try !transaction.changes(user) { return .userKnown }
            if let idempotency, let claim {
                guard try transaction.changes(claim) else {
                    return try Self.earlierIssue(for: idempotency, in: transaction)
                }
            }
            try transaction.submit(
                LoginTokenSQL.issue, token.columns + [SQLValue(scope?.description), SQLValue(token.sessionID)])
            try transaction.record(event)
            return .recorded
        }
    }

    package func idempotencyRecord(keyDigest: String, at now: Timestamp) async throws -> IdempotencyRecord? {
        try await look { session in
            try session.run(LoginTokenSQL.selectUsableKey, [.text(keyDigest)]).first.map(IdempotencyRecord.init(row:))
        }.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    package func issuingSession(_ id: SessionID, of token: TokenID) async throws -> IssuingSessionRecord? {
        let app = SQLCall(LoginTokenSQL.issuingSession, [SQLValue(id), SQLValue(token)])
        let browser = SQLCall(WebSessionSQL.selectByID, [SQLValue(id)])
        return try await look { [dialect] session in
            let course = try QueryCourse([app, browser], in: session, of: dialect)
            guard let row = try course.rows(0).first else {
                return try course.rows(1).first.map { IssuingSessionRecord.browser(try WebSession(row: $0)) }
            }
            let scope = try row.optionalText(0) == nil ? nil : try row.scope(0)
            return .app(try AppSession(row: row, from: 1), scope: scope)
        }
    }

    package func state(of id: TokenID) async throws -> LoginTokenState? {
        try await look { session in
            try session.run(LoginTokenSQL.select, [SQLValue(id)]).first.map(LoginTokenState.init(row:))
        }
    }

    package func revoke(
        _ token: IssuedLoginToken, at now: Timestamp, event: AuditEvent
    ) async throws -> LoginTokenRevokeOutcome {
        try await write { transaction in
            let revoked = try transaction.run(LoginTokenSQL.revoke, token.columns + [SQLValue(now)])
            guard revoked.isEmpty else {
                try transaction.record(event)
                return .revoked
            }
            switch try Self.status(of: token.id, in: transaction) {
            case .redeemed(let use): return .alreadyUsed(at: use.at)
            case .revoked(let at): return .alreadyRevoked(at: at)
            case .pending, nil: throw Self.contradiction
            }
        }
    }

    package func recordMiss(
        _ token: IssuedLoginToken, at now: Timestamp, limit: Int, event: AuditEvent, tells: Bool
    ) async throws -> Int {
        try await write { transaction in
            if try Self.wasLost(token, in: transaction) {
                if tells { try transaction.record(event) }
                return limit
            }
            let first: [SQLValue] = limit <= 1 ? [.text("revoked"), SQLValue(now)] : [.text("pending"), .null]
            let counted = try transaction.run(
                LoginTokenSQL.recordMiss, token.columns + first + [.integer(Int64(limit)), SQLValue(now)])
            guard let row = counted.first else {
                // It was over before.
                if tells { try transaction.record(event) }
                guard let misses = try Self.state(of: token.id, in: transaction)?.misses else {
                    throw Self.contradiction
                }
                return misses
            }
            if tells { try transaction.record(event) }
            if try row.text(1) == "revoked" { try transaction.record(event.revokingToken) }
            return try row.count(0)
        }
    }

    package func recordReplay(
        of id: TokenID, replay: AuditEvent, ending: Ending?, alwaysTells: Bool
    ) async throws -> Ended {
        try await write(isOfOneUse: true) { [endings] transaction in
            var ended = Ended.nothing
            if let ending, case .redeemed(let use) = try Self.status(of: id, in: transaction) {
                ended = try transaction.end(.webSession(use.sessionID), ending, by: endings, first: [replay])
            }
            if ended.isEmpty, alwaysTells { try transaction.record(replay) }
            return ended
        }
    }

    package func purgeLoginTokens(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge([LoginTokenSQL.purgeKeys, LoginTokenSQL.purge], before: cutoff, limit: limit).last ?? 0
    }

    static func status(of id: TokenID, in transaction: WriteTransaction) throws -> LoginTokenState.Status? {
        try state(of: id, in: transaction)?.status
    }

    private static func state(of id: TokenID, in transaction: WriteTransaction) throws -> LoginTokenState? {
        try transaction.run(LoginTokenSQL.select, [SQLValue(id)]).first.map(LoginTokenState.init(row:))
    }

    /// A statement that changed nothing says that there is a row; then it must be found.
    static var contradiction: StorageError { .corrupt("a login token is neither free nor taken") }

    private static func earlierIssue(
        for record: IdempotencyRecord, in transaction: WriteTransaction
    ) throws -> LoginTokenIssueOutcome {
        let found = try transaction.run(LoginTokenSQL.selectKey, [.text(record.keyDigest)]).first
        guard let earlier = try found.map(IdempotencyRecord.init(row:)) else { throw contradiction }
        return earlier.fingerprint == record.fingerprint ? .repeated(earlier) : .keyReused
    }
}
