import Bridge

/// Changes of users, for the verbs that make one of them and the one that makes several.
extension WriteTransaction {
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

    /// - Returns: whether there is such an account.
    func setClaims(_ claims: StandardClaims, of subject: Subject, at now: Timestamp, event: AuditEvent) throws -> Bool {
        guard try changes(AccountSQL.setClaims, [SQLValue(subject), SQLValue(claims.text), SQLValue(now)]) else {
            return false
        }
        try record(event)
        return true
    }

    func setDisabled(
        _ disabled: Bool, subject: Subject, event: AuditEvent, _ ending: Ending, by sql: EndingSQL
    ) throws -> UserChangeOutcome {
        if disabled, try isLastAdministrator(subject) { return .lastAdministrator }
        let changed =
            disabled
            ? try run(SubjectSQL.disable, [SQLValue(subject), SQLValue(ending.at)])
            : try run(SubjectSQL.enable, [SQLValue(subject)])
        guard !changed.isEmpty else { return .unchanged }
        try record(event)
        return .changed(disabled ? try end(.user(subject), ending, by: sql) : .nothing)
    }

    func setRole(_ change: UserChange.RoleChange, of subject: Subject, event: AuditEvent) throws -> UserChangeOutcome {
        guard try !run(AccountSQL.subjectExists, [SQLValue(subject)]).isEmpty else { return .noAccount }
        let role: Account.Role? = if case .give(let role) = change { role } else { nil }
        if role == nil, try isLastAdministrator(subject) { return .lastAdministrator }
        guard try changes(AccountSQL.setRole, [SQLValue(subject), SQLValue(role?.rawValue)]) else { return .unchanged }
        try record(event)
        if role == nil { try endAdminSessions(of: subject, event) }
        return .changed(.nothing)
    }

    /// Whether without this user nobody's account would administer; the answer holds until the commit.
    private func isLastAdministrator(_ subject: Subject) throws -> Bool {
        _ = try changes(AccountSQL.holdAdministrators, [SQLValue(subject)])
        let enabled: [Subject] = try run(AccountSQL.enabledAdministrators).map { try $0.identifier(0) }
        return enabled == [subject]
    }
}
