package import Bridge
import OAuth2

extension DurableStorage: RefreshTokenStore {
    package func refreshToken(digest: String) async throws -> RefreshTokenState? {
        try await read { session in
            try session.run(RefreshTokenSQL.select, [.text(digest)]).first.map(RefreshTokenState.init(row:))
        }
    }

    package func rotate(
        digest: String, to successor: RefreshTokenRecord, at now: Timestamp, event: AuditEvent
    ) async throws -> RefreshTokenRotation {
        let rotate = SQLCall(RefreshTokenSQL.rotate, [.text(digest), SQLValue(now), .text(successor.digest)])
        return try await write(anticipating: [rotate]) { transaction in
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
