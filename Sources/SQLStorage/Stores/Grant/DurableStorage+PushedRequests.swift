package import Bridge

extension DurableStorage {
    package func storePushedRequest(_ request: PushedRequest) async throws {
        try await write { transaction in
            _ = try transaction.changes(
                PushedRequestSQL.insert,
                [
                    .text(request.digest), SQLValue(request.clientID), .text(request.parameters),
                    SQLValue(request.expiresAt),
                ])
        }
    }

    package func pushedRequest(digest: String) async throws -> PushedRequest? {
        try await look { session in
            try session.run(PushedRequestSQL.select, [.text(digest)]).first.map { row in
                PushedRequest(
                    digest: try row.text(0), clientID: try row.identifier(1), parameters: try row.text(2),
                    expiresAt: try row.timestamp(3), usedAt: try row.optionalTimestamp(4))
            }
        }
    }

    package func consumePushedRequest(
        digest: String, pushedAfter start: Timestamp, until expiry: Timestamp, at now: Timestamp
    ) async throws -> Bool {
        let claim = SQLCall(SingleUseSQL.claim, [.text(digest), SQLValue(expiry), SQLValue(start)])
        let consume = SQLCall(PushedRequestSQL.consume, [.text(digest), SQLValue(now)])
        return try await write(anticipating: [claim, consume]) { transaction in
            guard try transaction.changes(claim) else { return false }
            if try transaction.changes(consume) { return true }
            // Purged; or used up at a node of an earlier version, which knows no claims.
            guard try transaction.run(PushedRequestSQL.select, [.text(digest)]).isEmpty else {
                throw Withdrawn(outcome: false)
            }
            return true
        }
    }

    package func purgePushedRequests(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(PushedRequestSQL.purge, before: cutoff, limit: limit)
    }
}

/// The statements about pushed authorization requests.
enum PushedRequestSQL {
    static let insert: SQLStatement = """
        INSERT INTO pushed_request (digest, client_id, parameters, expires_at) VALUES ($1, $2, $3, $4)
        """

    static let select: SQLStatement = """
        SELECT digest, client_id, parameters, expires_at, used_at FROM pushed_request WHERE digest = $1
        """

    static let consume: SQLStatement = """
        UPDATE pushed_request SET used_at = $2 WHERE digest = $1 AND used_at IS NULL
        """

    static let purge = ExpiredRows(of: "pushed_request", by: "digest")
}
