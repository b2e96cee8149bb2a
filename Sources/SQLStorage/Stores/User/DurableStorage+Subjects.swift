package import Bridge
import OAuth2

extension DurableStorage {
    package func standing(of subject: Subject) async throws -> SubjectStanding {
        try await look { session in
            guard let row = try session.run(SubjectSQL.standing, [SQLValue(subject)]).first else { return .unknown }
            return try row.optionalTimestamp(0) == nil ? .active : .disabled
        }
    }

    @discardableResult
    package func keepGroups(_ groups: UserGroups, of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(SubjectSQL.keepGroups, [SQLValue(subject), .text(groups.value.text)]) else {
                return false
            }
            try transaction.record(event)
            return true
        }
    }

    package func disabledSubjects(limit: Int) async throws -> [Subject] {
        try await look { session in
            try session.run(SubjectSQL.disabled, [.integer(Int64(limit))]).map { try $0.identifier(0) }
        }
    }

    package func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview] {
        try await read { session in
            let limit = SQLValue.limit(limit)
            let rows =
                if let cursor {
                    try session.run(SubjectSQL.listAfter, [SQLValue(cursor), limit])
                } else {
                    try session.run(SubjectSQL.list, [limit])
                }
            return try rows.map(Self.overview)
        }
    }

    package func users(matching text: String, after cursor: Subject?, limit: Int) async throws -> [UserOverview] {
        try await users(
            matching: text, SubjectSQL.search(dialect), [.text(cursor?.rawValue ?? ""), .limit(limit)])
    }

    package func users(
        matching text: String, by order: UserOrder, after cursor: UserCursor?, limit: Int
    ) async throws -> [UserOverview] {
        let place: [SQLValue] =
            switch cursor?.key {
            case .text(let text): [.text(text)]
            case .number(let number): [.integer(number)]
            case nil: []
            }
        return try await users(
            matching: text, SubjectSQL.search(by: order, isAfter: cursor != nil, dialect),
            [.limit(limit)] + (cursor.map { [SQLValue($0.subject)] } ?? []) + place)
    }

    private func users(
        matching text: String, _ search: SQLStatement, _ values: [SQLValue]
    ) async throws -> [UserOverview] {
        guard !text.utf8.contains(0) else { return [] }
        let pattern = LikePattern.containing(text.lowercased())
        return try await read { session in
            try session.run(search, [.text(pattern)] + values).map(Self.overview)
        }
    }

    @Sendable private static func overview(_ row: SQLRow) throws -> UserOverview {
        let account = try row.optionalText(0) == nil ? nil : try Account(row: row)
        return UserOverview(
            try SubjectRecord(row: row, from: Account.columnCount, hasAccount: account != nil), account: account)
    }

    package func record(of subject: Subject) async throws -> SubjectRecord? {
        try await look { session in
            try session.run(SubjectSQL.selectOne, [SQLValue(subject)]).first.map { row in
                try SubjectRecord(row: row, hasAccount: try row.optionalText(5) != nil)
            }
        }
    }
}

extension SubjectRecord {
    fileprivate init(row: SQLRow, from first: Int = 0, hasAccount: Bool) throws {
        self.init(
            subject: try row.identifier(first), issuer: try row.text(first + 1),
            firstSeenAt: try row.timestamp(first + 2), disabledAt: try row.optionalTimestamp(first + 3),
            hasAccount: hasAccount,
            groups: try row.optionalText(first + 4).map { text in
                guard let groups = JSONValue.parse(text.utf8).flatMap({ UserGroups($0) }) else {
                    throw StorageError.corrupt("a user's groups are malformed")
                }
                return groups
            })
    }
}

/// The statements about users.
enum SubjectSQL {
    static let standing: SQLStatement = "SELECT disabled_at FROM app_user WHERE subject = $1"

    /// Changes nothing, and holds a user's row alone against what is opened or made stronger at the same time.
    static let hold: SQLStatement = "UPDATE app_user SET issuer = issuer WHERE subject = $1"

    static let insert: SQLStatement = """
        INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ($1, $2, $3) ON CONFLICT (subject) DO NOTHING
        """

    static let keepGroups: SQLStatement = """
        UPDATE app_user SET told_groups = $2
        WHERE subject = $1 AND COALESCE(told_groups, '') <> $2
            AND NOT EXISTS (SELECT account.subject FROM account WHERE account.subject = $1)
        """

    static let disable: SQLStatement = """
        UPDATE app_user SET disabled_at = $2 WHERE subject = $1 AND disabled_at IS NULL RETURNING subject
        """

    static let enable: SQLStatement = """
        UPDATE app_user SET disabled_at = NULL WHERE subject = $1 AND disabled_at IS NOT NULL RETURNING subject
        """

    /// Reads an index of disabled users alone.
    static let disabled: SQLStatement = "SELECT subject FROM app_user WHERE disabled_at IS NOT NULL LIMIT $1"

    /// The last column is NULL for a user without an account.
    static let selectOne: SQLStatement = """
        SELECT app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at,
            app_user.told_groups, account.subject
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject WHERE app_user.subject = $1
        """

    /// The columns of ``selectOne`` after those of an account, which are NULL for a user without one.
    private static let users = """
        SELECT \(AccountSQL.columns), app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at,
            app_user.told_groups
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject
        """

    static let list = SQLStatement("\(users) ORDER BY app_user.subject LIMIT $1")
    /// Looks at all users, as a search for a part of a name does anyway.
    static func search(_ dialect: SQLDialect) -> SQLStatement {
        SQLStatement(
            "\(users) WHERE app_user.subject > $2 AND (\(matches(dialect))) ORDER BY app_user.subject LIMIT $3")
    }

    /// - Parameter isAfter: whether it begins after the user `$3`, who was listed by `$4`.
    static func search(by order: UserOrder, isAfter: Bool, _ dialect: SQLDialect) -> SQLStatement {
        let keys = keys(of: order, dialect)
        let place = keys.place.joined(separator: ", ")
        let start = isAfter ? "AND (\(keys.user.joined(separator: ", ")), app_user.subject) > (\(place), $3)" : ""
        return SQLStatement(
            """
            \(users) WHERE (\(matches(dialect))) \(start)
            ORDER BY \(keys.user.joined(separator: ", ")), app_user.subject LIMIT $2
            """)
    }

    private static func matches(_ dialect: SQLDialect) -> String {
        ["app_user.subject", "account.username", "account.display_name", "account.email"]
            .map { "\(dialect.lowercase($0)) LIKE $1 ESCAPE '!'" }.joined(separator: " OR ")
    }

    /// What users are listed by, and the same of the one that a ``UserCursor`` holds: lower-cased by the engine both times.
    private static func keys(of order: UserOrder, _ dialect: SQLDialect) -> (user: [String], place: [String]) {
        func text(_ expression: String) -> [String] {
            [
                "CASE WHEN COALESCE(\(expression), '') = '' THEN 1 ELSE 0 END",
                "COALESCE(\(dialect.lowercase(expression)), '')",
            ]
        }
        func texts(_ expression: String) -> ([String], [String]) {
            (text(expression), text("CAST($4 AS TEXT)"))
        }
        return switch order {
        case .name: texts("COALESCE(account.display_name, account.username, app_user.subject)")
        case .username: texts("account.username")
        case .email: texts("account.email")
        case .issuer: texts("app_user.issuer")
        case .firstSeen: (["-app_user.first_seen_at"], ["CAST($4 AS BIGINT)"])
        case .state: (["CASE WHEN app_user.disabled_at IS NULL THEN 1 ELSE 0 END"], ["CAST($4 AS BIGINT)"])
        }
    }

    static let listAfter = SQLStatement("\(users) WHERE app_user.subject > $1 ORDER BY app_user.subject LIMIT $2")
}
