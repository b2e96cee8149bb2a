package import OAuth2

/// Answers `/oauth/userinfo` (OpenID Connect Core §5.3).
package struct UserInfo: Sendable {
    private let tokens: AccessTokens
    private let sessions: AppSessions
    private let users: any UserClaimsSource
    private let time: TimeSource

    package init(
        tokens: AccessTokens, sessions: AppSessions, users: any UserClaimsSource, time: TimeSource = .system
    ) {
        self.tokens = tokens
        self.sessions = sessions
        self.users = users
        self.time = time
    }

    /// The claims that the token's scope and its request open; empty ones are left out.
    /// - Throws: ``BearerRefusal``; `insufficient_scope` for a token that was not granted `openid`.
    package func claims(for token: Secret<String>) async throws -> JSONValue {
        let now = time.now()
        let access = try await tokens.active(token, at: now)
        guard access.scope.contains(Scope.openID), let sessionID = access.sessionID else {
            throw OAuthError(.insufficientScope, "the access token was not granted openid")
        }
        let requested = try await sessions.alive(sessionID, at: now)?.requestedClaims.userInfo ?? []
        let names = ScopeClaims.names(openedBy: access.scope).union(requested)
        var claims: [String: JSONValue] = [:]
        if !names.isEmpty {
            claims = try await users.claims(of: access.subject).filter { names.contains($0.key) && !$0.value.isNull }
        }
        claims["sub"] = .string(access.subject.rawValue)
        return .object(claims)
    }
}
