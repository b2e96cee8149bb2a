package import Bridge

extension DurableStorage: BearerStore {
    package var isRemote: Bool { dialect.isRemote }

    package func bearerRecords(_ keys: BearerKeys) async throws -> BearerRecords {
        let calls = [
            keys.user.map { SQLCall(SubjectSQL.selectOne, [SQLValue($0)]) },
            keys.appSession.map { SQLCall(AppSessionSQL.select, [SQLValue($0)]) },
            keys.webSession.map { SQLCall(WebSessionSQL.selectByID, [SQLValue($0)]) },
            keys.token.map { SQLCall(RevokedTokenSQL.select, [SQLValue($0)]) },
        ]
        return try await look { session in
            var answers = try session.runAll(calls.compactMap(\.self))[...]
            let rows = calls.map { $0 == nil ? nil : answers.popFirst()?.rows.first }
            return BearerRecords(
                user: try rows[0].map(SubjectRecord.init(row:)),
                appSession: try rows[1].map { try AppSession(row: $0) },
                webSession: try rows[2].map(WebSession.init(row:)), isRevoked: rows[3] != nil)
        }
    }
}
