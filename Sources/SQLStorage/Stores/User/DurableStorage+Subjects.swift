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
            return try rows.map(UserOverview.init(row:))
        }
    }

    package func users(among subjects: [Subject]) async throws -> [UserOverview] {
        guard !subjects.isEmpty else { return [] }
        let listed = SubjectSQL.listed(dialect)
        return try await read { session in
            try SQLValue.lists(of: subjects).flatMap { list in
                try session.run(listed, [list]).map(UserOverview.init(row:))
            }
        }
    }

    package func users(matching text: String, after cursor: Subject?, limit: Int) async throws -> UserPage {
        guard !text.utf8.contains(0) else { return UserPage(users: [], next: nil) }
        let search = UserSearch(text, dialect: dialect, time: time)
        return try await browse { session in try search.page(after: cursor, limit: limit, in: session) }
    }

    /// Users up to whom they are sorted: no order but that of subjects has an index, so each page reads all of them.
    private static let mostSorted = 200_000

    package func users(
        matching text: String, by order: UserOrder, after cursor: UserCursor?, limit: Int
    ) async throws -> [UserOverview]? {
        try await users(matching: text, by: order, after: cursor, limit: limit, ofAtMost: Self.mostSorted)
    }

    /// - Returns: `nil` where there are more users than `maximum`.
    func users(
        matching text: String, by order: UserOrder, after cursor: UserCursor?, limit: Int, ofAtMost maximum: Int
    ) async throws -> [UserOverview]? {
        guard !text.utf8.contains(0) else { return [] }
        var values = [SQLValue.limit(limit)]
        if let cursor { values += [SQLValue(cursor.subject), cursor.key.value] }
        if !text.isEmpty { values.append(.text(LikePattern.containing(text.lowercasedForSearch))) }
        let list = SubjectSQL.sorted(by: order, isAfter: cursor != nil, matching: text, dialect)
        return try await browse { [values] session -> [UserOverview]? in
            guard try session.run(SubjectSQL.later, [.text(""), .limit(maximum)]).isEmpty else { return nil }
            return try session.run(list, values).map(UserOverview.init(row:))
        }
    }

    package func record(of subject: Subject) async throws -> SubjectRecord? {
        try await look { session in
            try session.run(SubjectSQL.selectOne, [SQLValue(subject)]).first.map(SubjectRecord.init(row:))
        }
    }
}

extension UserCursor.Key {
    fileprivate var value: SQLValue {
        switch self {
        case .text(let text): .text(text)
        case .number(let number): .integer(number)
        }
    }
}

extension UserOverview {
    /// Reads the columns of a list of users.
    init(row: SQLRow) throws {
        let account = try row.optionalText(0) == nil ? nil : try Account(row: row)
        self.init(
            try SubjectRecord(row: row, from: Account.columnCount, hasAccount: account != nil), account: account)
    }
}

extension SubjectRecord {
    /// Reads the columns of ``SubjectSQL/selectOne``.
    init(row: SQLRow) throws { try self.init(row: row, hasAccount: try row.optionalText(5) != nil) }

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
    /// With ``AccountSQL/lastEnd``.
    static let standing = SQLStatement("SELECT disabled_at, \(AccountSQL.lastEnd) FROM app_user WHERE subject = $1")

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
    /// - Parameter window: what else an account's row fulfils.
    private static func users(_ window: String = "") -> String {
        """
        SELECT \(AccountSQL.columns), app_user.subject, app_user.issuer, app_user.first_seen_at, app_user.disabled_at,
            app_user.told_groups
        FROM app_user LEFT JOIN account ON account.subject = app_user.subject\(window)
        """
    }

    static let list = SQLStatement("\(users()) ORDER BY app_user.subject LIMIT $1")

    static let listAfter = SQLStatement("\(users()) WHERE app_user.subject > $1 ORDER BY app_user.subject LIMIT $2")

    static func listed(_ dialect: SQLDialect) -> SQLStatement {
        SQLStatement("\(users()) WHERE \(dialect.isAmong("app_user.subject", "$1"))")
    }

    /// The user who comes `$2` users later than the first after `$1`.
    static let later: SQLStatement = """
        SELECT subject FROM app_user WHERE subject > $1 ORDER BY subject LIMIT 1 OFFSET $2
        """

    /// At most `$1` users after `$2` and, where the window has an end, through `$4`.
    static func search(_ text: String, hasEnd: Bool, _ dialect: SQLDialect) -> SQLStatement {
        func window(_ table: String) -> String {
            "\(table).subject > $2" + (hasEnd ? " AND \(table).subject <= $4" : "")
        }
        // Said of both, or PostgreSQL might read all accounts for each window.
        return SQLStatement(
            """
            \(users(" AND \(window("account"))")) WHERE \(window("app_user"))
                AND (\(matches(text, "$3", dialect))) ORDER BY app_user.subject LIMIT $1
            """)
    }

    /// At most `$1` users, all of whom it reads.
    /// - Parameters:
    ///   - isAfter: whether it begins after the user `$2`, who was listed by `$3`.
    ///   - text: what is searched for, as the last argument; nothing where it is empty.
    static func sorted(
        by order: UserOrder, isAfter: Bool, matching text: String, _ dialect: SQLDialect
    ) -> SQLStatement {
        let keys = keys(of: order, dialect)
        let users = (keys.user + ["app_user.subject"]).joined(separator: ", ")
        let place = (keys.place + ["$2"]).joined(separator: ", ")
        var conditions = isAfter ? ["(\(users)) > (\(place))"] : []
        if !text.isEmpty { conditions.append("(\(matches(text, isAfter ? "$4" : "$2", dialect)))") }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        return SQLStatement("\(Self.users()) \(condition) ORDER BY \(users) LIMIT $1")
    }

    private static func matches(_ text: String, _ pattern: String, _ dialect: SQLDialect) -> String {
        ["app_user.subject", "account.username", "account.display_name", "account.email"]
            .map { "\(dialect.lowercased($0, toFind: text)) LIKE \(pattern) ESCAPE '!'" }.joined(separator: " OR ")
    }

    /// What users are listed by, and the same of the one that a ``UserCursor`` holds: lower-cased by the engine both
    /// times.
    private static func keys(of order: UserOrder, _ dialect: SQLDialect) -> (user: [String], place: [String]) {
        func text(_ expression: String) -> [String] {
            [
                "CASE WHEN COALESCE(\(expression), '') = '' THEN 1 ELSE 0 END",
                "COALESCE(\(dialect.lowercase(expression)), '')",
            ]
        }
        func texts(_ expression: String) -> ([String], [String]) {
            (text(expression), text("CAST($3 AS TEXT)"))
        }
        return switch order {
        case .name: texts("COALESCE(account.display_name, account.username, app_user.subject)")
        case .username: texts("account.username")
        case .email: texts("account.email")
        case .issuer: texts("app_user.issuer")
        case .firstSeen: (["-app_user.first_seen_at"], ["CAST($3 AS BIGINT)"])
        case .state: (["CASE WHEN app_user.disabled_at IS NULL THEN 1 ELSE 0 END"], ["CAST($3 AS BIGINT)"])
        }
    }
}
