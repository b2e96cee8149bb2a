package import Bridge

extension DurableStorage: PushedRequestStore {
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
        try await read { session in
            try session.run(PushedRequestSQL.select, [.text(digest)]).first.map { row in
                PushedRequest(
                    digest: try row.text(0), clientID: try row.identifier(1), parameters: try row.text(2),
                    expiresAt: try row.timestamp(3), usedAt: try row.optionalTimestamp(4))
            }
        }
    }

    package func consumePushedRequest(digest: String, at now: Timestamp) async throws -> Bool {
        try await write { transaction in
            try transaction.changes(PushedRequestSQL.consume, [.text(digest), SQLValue(now)])
        }
    }

    package func purgePushedRequests(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await write { transaction in
            try transaction.run(PushedRequestSQL.purge, [SQLValue(cutoff), .integer(Int64(max(0, limit)))]).count
        }
    }
}
