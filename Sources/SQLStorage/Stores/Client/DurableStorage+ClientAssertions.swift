package import Bridge

extension DurableStorage: ClientAssertionStore {
    package func claimAssertion(digest: String, until expiry: Timestamp) async throws -> Bool {
        let claim = SQLCall(ClientAssertionSQL.claim, [.text(digest), SQLValue(expiry)])
        return try await write(anticipating: [claim]) { try $0.changes(claim) }
    }

    package func purgeAssertions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await write { transaction in
            try transaction.run(ClientAssertionSQL.purge, [SQLValue(cutoff), .integer(Int64(max(0, limit)))]).count
        }
    }
}

/// The statements about clients' assertions that were used.
enum ClientAssertionSQL {
    static let claim: SQLStatement = """
        INSERT INTO client_assertion_use (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING
        """

    static let purge: SQLStatement = """
        DELETE FROM client_assertion_use WHERE digest IN
            (SELECT digest FROM client_assertion_use WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        RETURNING digest
        """
}
