import Bridge

/// The single changes of which ``UserStore/changeUser(_:_:events:ending:)`` makes one or several.
extension WriteTransaction {
    /// Whether a user is as an administrator saw them, and holds them so until the commit.
    /// - Parameter change: what is to follow, so that all that it needs is held in one order.
    func holds(_ seen: UserOverview, against change: UserChange) throws -> Bool {
        try hold(seen.subject, for: change)
        guard
            let record = try run(SubjectSQL.selectOne, [SQLValue(seen.subject)]).first.map(SubjectRecord.init(row:))
        else { return false }
        let account = try run(AccountSQL.bySubject, [SQLValue(seen.subject)]).first.map(Account.init(row:))
        return UserOverview(record, account: account).isSame(as: seen)
    }

    /// Holds all rows of a user that a change may need until the commit: in one order, whatever the change begins with,
    /// so that two changes never wait for each other.
    func hold(_ subject: Subject, for change: UserChange) throws {
        let hold = change.takesAdministrator ? AccountSQL.holdAdministrators : AccountSQL.hold
        _ = try changes(hold, [SQLValue(subject)])
        _ = try changes(SubjectSQL.hold, [SQLValue(subject)])
    }

    /// - Returns: what ended; `nil` for a user without an account.
    func setPassword(
        _ hash: PasswordHash, of subject: Subject, event: AuditEvent, _ ending: Ending, by sql: EndingSQL
    ) throws -> Ended? {
        guard try changes(AccountSQL.setPassword, [SQLValue(subject), .text(hash.text), SQLValue(ending.at)]) else {
            return nil
        }
        try record(event)
        return try end(.user(subject), ending, by: sql)
    }

    func setClaims(
        _ claims: StandardClaims, of subject: Subject, at now: Timestamp, events: UserChange.Events
    ) throws -> UserChangeOutcome {
        _ = try changes(AccountSQL.hold, [SQLValue(subject)])
        guard let before = try run(AccountSQL.bySubject, [SQLValue(subject)]).first.map(Account.init(row:)) else {
            return .noAccount
        }
        let changed = claims.names(differingFrom: before.claims)
        guard !changed.isEmpty else { return .unchanged }
        _ = try changes(AccountSQL.setClaims, [SQLValue(subject), SQLValue(claims.text), SQLValue(now)])
        try record(events(.userClaimsChanged, UserChange.Facts(fields: changed)))
        return .changed(.nothing)
    }

    /// A check of the old address does not hold for a new one.
    func setNames(
        _ names: AccountNames, of subject: Subject, at now: Timestamp, events: UserChange.Events
    ) throws -> UserChangeOutcome {
        _ = try changes(AccountSQL.hold, [SQLValue(subject)])
        guard let before = try run(AccountSQL.bySubject, [SQLValue(subject)]).first.map(Account.init(row:)) else {
            return .noAccount
        }
        let changed = [
            ("display_name", before.displayName, names.displayName), ("email", before.email, names.email),
            ("username", before.username?.text, names.username?.text),
        ].filter { !Self.isSame($0.1, $0.2) }.map(\.0)
        guard !changed.isEmpty else { return .unchanged }
        let row: [SQLValue] = [
            SQLValue(subject), SQLValue(names.username?.text), SQLValue(names.username?.key),
            SQLValue(names.displayName), SQLValue(names.email),
        ]
        do {
            guard try changes(AccountSQL.setNames, row) else { return .usernameTaken }
        } catch let error as SQLError where error.kind == .refused {
            // Two take a name at once, and neither sees the other's row: the index does.
            return .usernameTaken
        }
        try record(events(.userRenamed, UserChange.Facts(["changed": changed.joined(separator: ",")])))
        if changed.contains("email"), before.claims.values["email_verified"] != nil {
            let claims = try StandardClaims(before.claims.values.filter { $0.key != "email_verified" })
            _ = try changes(AccountSQL.setClaims, [SQLValue(subject), SQLValue(claims.text), SQLValue(now)])
        }
        return .changed(.nothing)
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
    }

    /// Whether a session lives, and holds it against its end; true without one.
    func holds(_ session: SessionID?, by held: SQLStatement) throws -> Bool {
        guard let session else { return true }
        guard let row = try run(held, [SQLValue(session)]).first else { return false }
        return try row.optionalTimestamp(0) == nil
    }

    /// - Parameter sparesLast: whether the last administrator stays enabled.
    func setDisabled(
        _ disabled: Bool, subject: Subject, sparesLast: Bool, event: AuditEvent, _ ending: Ending,
        by sql: EndingSQL
    ) throws -> UserChangeOutcome {
        if disabled, sparesLast, try isLastAdministrator(subject) { return .lastAdministrator }
        let changed =
            disabled
            ? try run(SubjectSQL.disable, [SQLValue(subject), SQLValue(ending.at)])
            : try run(SubjectSQL.enable, [SQLValue(subject)])
        guard !changed.isEmpty else { return .unchanged }
        // A node that had not heard of the disabling yet may have issued login tokens after it (contract §7).
        if !disabled { _ = try changes(EndingSQL.voidLoginTokens, [SQLValue(subject), SQLValue(ending.at)]) }
        try record(event)
        return .changed(disabled ? try end(.user(subject), ending, by: sql) : .nothing)
    }

    /// - Parameter sparesLast: whether the last administrator keeps the role.
    func setRole(
        _ change: UserChange.RoleChange, of subject: Subject, sparesLast: Bool, event: AuditEvent
    ) throws -> UserChangeOutcome {
        guard try !run(AccountSQL.subjectExists, [SQLValue(subject)]).isEmpty else { return .noAccount }
        let role: Account.Role? = if case .give(let role) = change { role } else { nil }
        if role == nil, sparesLast, try isLastAdministrator(subject) { return .lastAdministrator }
        guard try changes(AccountSQL.setRole, [SQLValue(subject), SQLValue(role?.rawValue)]) else { return .unchanged }
        try record(event)
        if role == nil { try endAdminSessions(of: subject, event) }
        return .changed(.nothing)
    }

    /// Whether without this user no account would administer that somebody can sign in with, or, where there is none
    /// now, no account at all; the answer holds until the commit.
    private func isLastAdministrator(_ subject: Subject) throws -> Bool {
        _ = try changes(AccountSQL.holdAdministrators, [SQLValue(subject)])
        for administrators in [AccountSQL.ableAdministrators, AccountSQL.enabledAdministrators] {
            let found: [Subject] = try run(administrators).map { try $0.identifier(0) }
            if !found.isEmpty { return found == [subject] }
        }
        return false
    }
}
