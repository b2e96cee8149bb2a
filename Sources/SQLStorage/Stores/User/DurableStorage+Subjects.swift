package import Bridge

extension DurableStorage: SubjectStore {
    package func standing(of subject: Subject) async throws -> SubjectStanding {
        try await read { session in
            guard let row = try session.run(SubjectSQL.standing, [SQLValue(subject)]).first else { return .unknown }
            return try row.optionalTimestamp(0) == nil ? .active : .disabled
        }
    }

    @discardableResult
    package func recordFirstSight(of subject: Subject, issuer: String, at now: Timestamp) async throws -> Bool {
        let insert = SQLCall(SubjectSQL.insert, [SQLValue(subject), .text(issuer), SQLValue(now)])
        return try await write(anticipating: [insert]) { try $0.changes(insert) }
    }

    package func setDisabled(
        _ disabled: Bool, subject: Subject, event: AuditEvent, ending: Ending
    ) async throws -> UserChangeOutcome {
        try await write { [endings] transaction in
            try transaction.setDisabled(disabled, subject: subject, event: event, ending, by: endings)
        }
    }

    package func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview] {
        try await read { session in
            let limit = SQLValue.integer(Int64(max(0, limit)))
            let rows =
                if let cursor {
                    try session.run(SubjectSQL.listAfter, [SQLValue(cursor), limit])
                } else {
                    try session.run(SubjectSQL.list, [limit])
                }
            return try rows.map { row in
                let account = try row.optionalText(0) == nil ? nil : try Account(row: row)
                return UserOverview(
                    try SubjectRecord(row: row, from: Account.columnCount, hasAccount: account != nil),
                    account: account)
            }
        }
    }

    package func record(of subject: Subject) async throws -> SubjectRecord? {
        try await read { session in
            try session.run(SubjectSQL.selectOne, [SQLValue(subject)]).first.map { row in
                try SubjectRecord(row: row, hasAccount: try row.optionalText(4) != nil)
            }
        }
    }
}

extension SubjectRecord {
    fileprivate init(row: SQLRow, from first: Int = 0, hasAccount: Bool) throws {
        self.init(
            subject: try row.identifier(first), issuer: try row.text(first + 1),
            firstSeenAt: try row.timestamp(first + 2), disabledAt: try row.optionalTimestamp(first + 3),
            hasAccount: hasAccount)
    }
}

/// The statements about users.
enum SubjectSQL {
    static let standing: SQLStatement = "SELECT disabled_at FROM app_user WHERE subject = $1"

    static let insert: SQLStatement = """
        INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ($1, $2, $3) ON CONFLICT (subject) DO NOTHING
        """

    static let disable: SQLStatement = """
        UPDATE app_user SET disabled_at = $2 WHERE subject = $1 AND disabled_at IS NULL RETURNING subject
        """

    static let enable: SQLStatement = """
        UPDATE app_user SET disabled_at = NULL WHERE subject = $1 AND disabled_at IS NOT NULL RETURNING subject
        """

    /// The last column is NULL for a user without an account.
    static let selectOne: SQLStatement = """
        SELECT app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at, account.subject
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject WHERE app_user.subject = $1
        """

    /// The columns of ``selectOne`` after those of an account, which are NULL for a user without one.
    private static let users = """
        SELECT \(AccountSQL.columns), app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject
        """

    static let list = SQLStatement("\(users) ORDER BY app_user.subject LIMIT $1")
    static let listAfter = SQLStatement("\(users) WHERE app_user.subject > $1 ORDER BY app_user.subject LIMIT $2")
}
