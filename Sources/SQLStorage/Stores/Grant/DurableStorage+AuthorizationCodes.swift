package import Bridge
import OAuth2

extension DurableStorage: GrantStore {
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
        try await look { session in
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
        return try await write(anticipating: [standing, carrier, redeem], isOfOneUse: true) {
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

    package func recordCodeMiss(
        digest: String, limit: Int, event: AuditEvent, alwaysTells: Bool
    ) async throws -> Bool {
        try await write { transaction in
            let isGone =
                try transaction.changes(AuthorizationCodeSQL.recordMiss, [.text(digest)])
                && transaction.changes(AuthorizationCodeSQL.deleteMissed, [.text(digest), .integer(Int64(limit))])
            guard isGone || alwaysTells else { return false }
            try transaction.record(isGone ? event.takingCodeAway : event)
            return true
        }
    }

    package func recordCodeReuse(
        digest: String, reuse: AuditEvent, ending: Ending, alwaysTells: Bool
    ) async throws -> Ended {
        try await write(isOfOneUse: true) { [endings] transaction in
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
        try await purge(AuthorizationCodeSQL.purge, before: cutoff, limit: limit)
    }
}

extension IssuedAuthorizationCode {
    /// The values of ``AuthorizationCodeSQL/insert``.
    var columns: [SQLValue] {
        [
            .text(digest), SQLValue(grant.clientID), .text(grant.redirectURI), SQLValue(grant.codeChallenge?.value),
            SQLValue(grant.nonce), .text(grant.scope.description), SQLValue(grant.subject),
            SQLValue(grant.authentication.time), SQLValue(grant.authentication.acr),
            AuthenticationMethods.encode(grant.authentication.amr), SQLValue(grant.browserSessionID),
            grant.requestedClaims.column, SQLValue(grant.proofKeyThumbprint), SQLValue(issuedAt), SQLValue(expiresAt),
        ]
    }
}

extension AuthorizationCodeState {
    /// Reads a row of ``AuthorizationCodeSQL/select``.
    init(row: SQLRow) throws {
        let challenge = try row.optionalText(3).map { text in
            guard let challenge = CodeChallenge(text) else {
                throw StorageError.corrupt("a code's challenge is malformed")
            }
            return challenge
        }
        let grant = AuthorizationGrant(
            clientID: try row.identifier(1), redirectURI: try row.text(2), codeChallenge: challenge,
            nonce: try row.optionalText(4), scope: try row.scope(5), subject: try row.identifier(6),
            authentication: try row.authentication(7), browserSessionID: try row.identifier(10),
            requestedClaims: try row.requestedClaims(11),
            proofKeyThumbprint: try row.optionalText(12))
        self.init(
            code: IssuedAuthorizationCode(
                digest: try row.text(0), grant: grant, issuedAt: try row.timestamp(13),
                expiresAt: try row.timestamp(14)),
            grantedIn: try row.optionalIdentifier(17) ?? grant.browserSessionID,
            sessionID: try row.optionalIdentifier(16), redeemedAt: try row.optionalTimestamp(15))
    }
}

extension RequestedClaims {
    var column: SQLValue { isEmpty ? .null : .text(text) }
}

extension SQLRow {
    func scope(_ column: Int) throws -> Scope {
        let text = try text(column)
        guard let scope = text.isEmpty ? Scope.empty : Scope(text) else {
            throw StorageError.corrupt("column \(column) of the result is not a scope")
        }
        return scope
    }

    func requestedClaims(_ column: Int) throws -> RequestedClaims {
        guard let text = try optionalText(column) else { return .none }
        guard let claims = RequestedClaims(text) else {
            throw StorageError.corrupt("column \(column) of the result is not a claims request")
        }
        return claims
    }
}

/// The statements about authorization codes.
enum AuthorizationCodeSQL {
    static let insert: SQLStatement = """
        INSERT INTO authorization_code (digest, client_id, redirect_uri, code_challenge, nonce, scope, subject,
            auth_time, acr, amr, browser_session_id, requested_claims, proof_key, issued_at, expires_at, misses)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)
        """

    static let select: SQLStatement = """
        SELECT digest, client_id, redirect_uri, code_challenge, nonce, scope, subject, auth_time, acr, amr,
            browser_session_id, requested_claims, proof_key, issued_at, expires_at, redeemed_at, session_id, granted_in
        FROM authorization_code WHERE digest = $1
        """

    /// The arbiter of single use.
    static let redeem: SQLStatement = """
        UPDATE authorization_code SET redeemed_at = $2, session_id = $3
        WHERE digest = $1 AND redeemed_at IS NULL AND expires_at > $2
        """

    static let use: SQLStatement = "SELECT redeemed_at, session_id FROM authorization_code WHERE digest = $1"

    static let recordMiss: SQLStatement = """
        UPDATE authorization_code SET misses = misses + 1 WHERE digest = $1 AND redeemed_at IS NULL
        """

    static let deleteMissed: SQLStatement = """
        DELETE FROM authorization_code WHERE digest = $1 AND redeemed_at IS NULL AND misses >= $2
        """

    /// Where what it opens goes on.
    static let browserSession: SQLStatement = "SELECT browser_session_id FROM authorization_code WHERE digest = $1"

    static let purge = ExpiredRows(of: "authorization_code", by: "digest")
}
