import Bridge

/// A search among all users, in order of subject.
///
/// It is tried on a window of users, then on the one after it, until the page is full or the patience ends: so no page
/// takes long however many users there are, and some are short.
struct UserSearch {
    /// Users that one window holds.
    var window = 5000
    /// How long further windows are opened. More than in ``AuditSearch``: a search for part of a name mostly wants one
    /// user, wherever that one is.
    var patience = Duration.seconds(1)

    let text: String
    let dialect: SQLDialect
    let time: TimeSource

    init(_ text: String, dialect: SQLDialect, time: TimeSource = .system) {
        self.text = text
        self.dialect = dialect
        self.time = time
    }

    /// - Parameters:
    ///   - cursor: where the previous page ended.
    ///   - limit: users on the page.
    func page(after cursor: Subject?, limit: Int, in session: any SQLSession) throws -> UserPage {
        let started = time.uptime()
        var found: [UserOverview] = []
        var cursor = cursor
        while true {
            let end = try windowEnd(after: cursor, in: session)
            found += try users(after: cursor, through: end, limit: limit + 1 - found.count, in: session)
            if found.count > limit {
                let users = Array(found.prefix(limit))
                return UserPage(users: users, next: users.last?.subject)
            }
            guard let end else { return UserPage(users: found, next: nil) }
            guard time.uptime() - started < patience else { return UserPage(users: found, next: end) }
            cursor = end
        }
    }

    /// The last user of the next window; `nil` when less than a window is left.
    private func windowEnd(after cursor: Subject?, in session: any SQLSession) throws -> Subject? {
        try session.run(SubjectSQL.later, [Self.value(cursor), .limit(window - 1)]).first?.identifier(0)
    }

    private func users(
        after cursor: Subject?, through end: Subject?, limit: Int, in session: any SQLSession
    ) throws -> [UserOverview] {
        let pattern = LikePattern.containing(text.lowercasedForSearch)
        let values: [SQLValue] = [.limit(limit), Self.value(cursor), .text(pattern)]
        return try session.run(
            SubjectSQL.search(text, hasEnd: end != nil, dialect), values + (end.map { [SQLValue($0)] } ?? [])
        ).map(UserOverview.init(row:))
    }

    /// Every subject comes after the empty text.
    private static func value(_ cursor: Subject?) -> SQLValue { .text(cursor?.rawValue ?? "") }
}
