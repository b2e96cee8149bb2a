import OAuth2

extension Subjects {
    /// Refuses a bearer whose user may not sign in, and one whose issuer may not name its user (contract §1.3, §3).
    /// - Returns: whether the user was named here for the first time.
    func admit(_ bearer: BearerIdentity) async throws -> Bool {
        switch try await admission(of: bearer) {
        case .admitted: return false
        case .unseen: return true
        case .disabled: throw OAuthError(.invalidToken, "the access token is not valid", detail: .subjectDisabled)
        case .ofAnotherIssuer:
            throw OAuthError(
                .invalidToken, "the access token is not valid",
                detail: BearerRefusal.Reason.subjectOfAnotherIssuer.rawValue)
        }
    }
}
