import Bridge

/// Changes of users, for the verbs that make one of them and the one that makes several.
extension WriteTransaction {
    /// - Returns: the ended sessions; `nil` for a user without an account.
    func setPassword(
        _ hash: PasswordHash, of subject: Subject, at now: Timestamp, event: AuditEvent, ended: AuditEvent
    ) throws -> [SessionID]? {
        guard try changes(AccountSQL.setPassword, [SQLValue(subject), .text(hash.text), SQLValue(now)]) else {
            return nil
        }
        try record(event)
        return try endAll(of: subject, at: now, ended: ended)
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
        _ disabled: Bool, subject: Subject, at now: Timestamp, event: AuditEvent, ended: AuditEvent
    ) throws -> UserChangeOutcome {
        if disabled, try isLastAdministrator(subject) { return .lastAdministrator }
        let changed =
            disabled
            ? try run(SubjectSQL.disable, [SQLValue(subject), SQLValue(now)])
            : try run(SubjectSQL.enable, [SQLValue(subject)])
        guard !changed.isEmpty else { return .unchanged }
        try record(event)
        return .changed(ended: disabled ? try endAll(of: subject, at: now, ended: ended) : [])
    }

    func setRole(_ change: UserChange.RoleChange, of subject: Subject, event: AuditEvent) throws -> UserChangeOutcome {
        guard try !run(AccountSQL.subjectExists, [SQLValue(subject)]).isEmpty else { return .noAccount }
        let role: Account.Role? = if case .give(let role) = change { role } else { nil }
        if role == nil, try isLastAdministrator(subject) { return .lastAdministrator }
        guard try changes(AccountSQL.setRole, [SQLValue(subject), SQLValue(role?.rawValue)]) else { return .unchanged }
        try record(event)
        if role == nil { try endAdminSessions(of: subject, event) }
        return .changed(ended: [])
    }

    /// Whether without this user nobody's account would administer; the answer holds until the commit.
    private func isLastAdministrator(_ subject: Subject) throws -> Bool {
        _ = try changes(AccountSQL.holdAdministrators, [SQLValue(subject)])
        let enabled: [Subject] = try run(AccountSQL.enabledAdministrators).map { try $0.identifier(0) }
        return enabled == [subject]
    }
}
