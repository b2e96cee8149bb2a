package import Bridge

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
