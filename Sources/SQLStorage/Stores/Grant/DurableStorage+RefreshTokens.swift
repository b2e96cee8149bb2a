package import Bridge
import OAuth2

extension DurableStorage {
    package func refreshToken(digest: String) async throws -> RefreshTokenState? {
        try await look { session in
            try session.run(RefreshTokenSQL.select, [.text(digest)]).first.map(RefreshTokenState.init(row:))
        }
    }

    package func rotate(
        digest: String, to successor: RefreshTokenRecord, at now: Timestamp, event: AuditEvent
    ) async throws -> RefreshTokenRotation {
        let rotate = SQLCall(RefreshTokenSQL.rotate, [.text(digest), SQLValue(now), .text(successor.digest)])
        return try await write(anticipating: [rotate], isOfOneUse: true) { transaction in
            guard try transaction.changes(rotate) else {
                let found = try transaction.run(RefreshTokenSQL.select, [.text(digest)]).first
                guard let state = try found.map(RefreshTokenState.init(row:)), state.rotatedAt != nil,
                    state.session.isAlive(at: now)
                else { return .gone }
                return .rotatedBefore(state)
            }
            try transaction.submit(RefreshTokenSQL.insert, successor.columns)
            try transaction.record(event)
            return .rotated
        }
    }

    package func extendRefreshToken(
        digest: String, until expiry: Timestamp, at now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        let extend = SQLCall(RefreshTokenSQL.extend, [.text(digest), SQLValue(now), SQLValue(expiry)])
        return try await write(anticipating: [extend]) { transaction in
            guard try transaction.changes(extend) else { return false }
            try transaction.record(event)
            return true
        }
    }
}

extension RefreshTokenRecord {
    var columns: [SQLValue] {
        [
            .text(digest), SQLValue(sessionID), .text(scope.description), SQLValue(proofKeyThumbprint),
            SQLValue(issuedAt), SQLValue(expiresAt),
        ]
    }
}

extension RefreshTokenState {
    /// Reads a row of ``RefreshTokenSQL/select``.
    fileprivate init(row: SQLRow) throws {
        self.init(
            record: RefreshTokenRecord(
                digest: try row.text(0), sessionID: try row.identifier(1), scope: try row.scope(2),
                proofKeyThumbprint: try row.optionalText(3), issuedAt: try row.timestamp(4),
                expiresAt: try row.timestamp(5)),
            rotatedAt: try row.optionalTimestamp(6), successorDigest: try row.optionalText(7),
            isSuccessorRotated: try row.optionalTimestamp(8) != nil,
            session: try AppSession(row: row, from: 9))
    }
}

/// The statements about refresh tokens.
enum RefreshTokenSQL {
    static let insert: SQLStatement = """
        INSERT INTO refresh_token (digest, session_id, scope, proof_key, issued_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        """

    static let select = SQLStatement(
        """
        SELECT t.digest, t.session_id, t.scope, t.proof_key, t.issued_at, t.expires_at, t.rotated_at,
            t.successor_digest, n.rotated_at,
            \(AppSessionSQL.columns.split(separator: ", ").map { "s.\($0)" }.joined(separator: ", "))
        FROM refresh_token t JOIN app_session s ON s.id = t.session_id
            LEFT JOIN refresh_token n ON n.digest = t.successor_digest
        WHERE t.digest = $1
        """)

    /// The arbiter: one call has it change a row, which from then on is kept for as long as the session lives. Were it
    /// purged at its own idle end, a stolen successor that is used every day would outlive what tells of the theft.
    static let rotate = SQLStatement(
        """
        UPDATE refresh_token SET rotated_at = $2, successor_digest = $3,
            expires_at = (SELECT s.expires_at FROM app_session s WHERE s.id = session_id)
        WHERE digest = $1 AND rotated_at IS NULL AND expires_at > $2 AND EXISTS
            (SELECT 1 FROM app_session s WHERE s.id = session_id AND \(AppSessionSQL.isAlive(at: "$2", of: "s")))
        """)

    static let extend = SQLStatement(
        """
        UPDATE refresh_token SET expires_at = $3
        WHERE digest = $1 AND rotated_at IS NULL AND expires_at > $2 AND EXISTS
            (SELECT 1 FROM app_session s WHERE s.id = session_id AND \(AppSessionSQL.isAlive(at: "$2", of: "s")))
        """)

    static let purge = ExpiredRows(of: "refresh_token", by: "digest")
}
