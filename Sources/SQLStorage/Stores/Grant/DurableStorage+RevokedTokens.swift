package import Bridge

extension DurableStorage {
    package func revokeToken(_ id: TokenID, until expiry: Timestamp, event: AuditEvent) async throws {
        try await write { transaction in
            guard try transaction.changes(RevokedTokenSQL.insert, [SQLValue(id), SQLValue(expiry)]) else { return }
            try transaction.record(event)
            try transaction.endAdminSessions(openedBy: id, event)
        }
    }

    package func isRevoked(_ id: TokenID) async throws -> Bool {
        try await look { session in try !session.run(RevokedTokenSQL.select, [SQLValue(id)]).isEmpty }
    }

    package func purgeRevokedTokens(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(RevokedTokenSQL.purge, before: cutoff, limit: limit)
    }
}

/// The statements about access tokens that were revoked before their time.
enum RevokedTokenSQL {
    static let insert: SQLStatement = """
        INSERT INTO revoked_token (token_id, expires_at) VALUES ($1, $2) ON CONFLICT (token_id) DO NOTHING
        """

    static let select: SQLStatement = "SELECT expires_at FROM revoked_token WHERE token_id = $1"

    static let purge = ExpiredRows(of: "revoked_token", by: "token_id")
}
