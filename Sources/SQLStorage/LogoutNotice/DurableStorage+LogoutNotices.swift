package import Bridge

extension DurableStorage: LogoutNoticeStore {
    package func takeLogoutNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int
    ) async throws -> [LogoutNotice] {
        let due = try await read { session in
            try session.run(LogoutNoticeSQL.due, [SQLValue(now), .integer(Int64(max(0, limit)))])
                .map { (notice: try LogoutNotice(row: $0), dueAt: try $0.timestamp(6)) }
        }
        guard !due.isEmpty else { return [] }
        return try await write { transaction in
            try due.filter { item in
                try transaction.changes(
                    LogoutNoticeSQL.take, [.text(item.notice.id), SQLValue(item.dueAt), SQLValue(now + lease)])
            }.map { item in
                var notice = item.notice
                notice.attempts += 1
                return notice
            }
        }
    }

    package func postponeLogoutNotice(_ id: String, until next: Timestamp) async throws {
        try await write { transaction in
            _ = try transaction.changes(LogoutNoticeSQL.postpone, [.text(id), SQLValue(next)])
        }
    }

    package func settleLogoutNotice(_ id: String, event: AuditEvent) async throws {
        try await write { transaction in
            guard try transaction.changes(LogoutNoticeSQL.delete, [.text(id)]) else { return }
            try transaction.record(event)
        }
    }
}

extension LogoutNotice {
    fileprivate init(row: SQLRow) throws {
        self.init(
            id: try row.text(0), clientID: try row.identifier(1), subject: try row.identifier(2),
            sessionID: try row.identifier(3), createdAt: try row.timestamp(4), attempts: Int(try row.integer(5)))
    }
}
