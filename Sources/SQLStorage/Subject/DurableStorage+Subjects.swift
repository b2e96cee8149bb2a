package import Bridge

extension DurableStorage: SubjectStore {
    package func standing(of subject: Subject) async throws -> SubjectStanding {
        try await read { session in
            guard let row = try session.run(SubjectSQL.disabledAt, [SQLValue(subject)]).first else { return .unknown }
            return try row.optionalTimestamp(0) == nil ? .active : .disabled
        }
    }

    package func recordFirstSight(of subject: Subject, issuer: String, at now: Timestamp) async throws {
        try await write(anticipating: []) { transaction in
            try transaction.submit(SubjectSQL.insert, [SQLValue(subject), .text(issuer), SQLValue(now)])
        }
    }

    package func setDisabled(
        _ disabled: Bool, subject: Subject, at now: Timestamp, event: AuditEvent, ended: AuditEvent
    ) async throws -> [SessionID]? {
        try await write { transaction in
            let changed =
                disabled
                ? try transaction.run(SubjectSQL.disable, [SQLValue(subject), SQLValue(now)])
                : try transaction.run(SubjectSQL.enable, [SQLValue(subject)])
            guard !changed.isEmpty else { return nil }
            try transaction.record(event)
            guard disabled else { return [] }
            return try transaction.endAll(of: subject, at: now, ended: ended)
        }
    }

    package func subjects(after cursor: Subject?, limit: Int) async throws -> [SubjectRecord] {
        try await read { session in
            let limit = SQLValue.integer(Int64(max(0, limit)))
            let rows =
                if let cursor {
                    try session.run(SubjectSQL.listAfter, [SQLValue(cursor), limit])
                } else {
                    try session.run(SubjectSQL.list, [limit])
                }
            return try rows.map(SubjectRecord.init(row:))
        }
    }

    package func record(of subject: Subject) async throws -> SubjectRecord? {
        try await read { session in
            try session.run(SubjectSQL.selectOne, [SQLValue(subject)]).first.map(SubjectRecord.init(row:))
        }
    }
}

extension SubjectRecord {
    fileprivate init(row: SQLRow) throws {
        self.init(
            subject: try row.identifier(0), issuer: try row.text(1), firstSeenAt: try row.timestamp(2),
            disabledAt: try row.optionalTimestamp(3))
    }
}
