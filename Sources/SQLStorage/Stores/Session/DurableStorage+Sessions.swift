package import Bridge

extension DurableStorage: SessionRegister {
    package func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession] {
        try await read { session in
            let limit = SQLValue.integer(Int64(max(0, limit)))
            let rows =
                if let cursor {
                    try session.run(WebSessionSQL.listOfBefore, [SQLValue(subject), limit, SQLValue(cursor)])
                } else {
                    try session.run(WebSessionSQL.listOf, [SQLValue(subject), limit])
                }
            return try rows.map(WebSession.init(row:))
        }
    }

    package func countLiveSessions(at now: Timestamp) async throws -> Int64 {
        try await read { session in
            try session.run(WebSessionSQL.countLive, [SQLValue(now)]).first?.integer(0) ?? 0
        }
    }
}
