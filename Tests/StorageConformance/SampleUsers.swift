package import Bridge

extension UserStore {
    /// Changes a user, with an event for each change, as an administrator does.
    @discardableResult
    package func change(
        _ subject: Subject, _ change: UserChange, ending: Ending = .sample()
    ) async throws -> UserChangeOutcome {
        try await changeUser(
            subject, change, events: { type, _ in AuditEvent(at: ending.at, type: type, outcome: .success) },
            ending: ending)
    }
}

extension LoginTokenStore {
    /// Makes a user known, as the first token of an issuer for them does; nothing can be opened with that one.
    @discardableResult
    package func addUser(
        _ subject: Subject, issuer: String = "i", at moment: Timestamp
    ) async throws -> LoginTokenIssueOutcome {
        try await recordIssue(
            IssuedLoginToken(
                id: TokenID(rawValue: "first-of-\(subject.rawValue)"), subject: subject, clientID: "app",
                issuedAt: moment, expiresAt: moment),
            scope: nil, namedFirstBy: issuer, idempotency: nil,
            event: AuditEvent(at: moment, type: .loginTokenIssued, outcome: .success))
    }
}
