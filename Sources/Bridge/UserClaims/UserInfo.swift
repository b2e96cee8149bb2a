package import OAuth2

/// Answers `/oauth/userinfo` (OpenID Connect Core §5.3).
package final class UserInfo: Sendable {
    private let tokens: AccessTokens
    private let sessions: AppSessions
    private let users: any UserClaimsSource
    private let clients: Reloadable<ClientDirectory>
    private let codec: IDTokenCodec
    private let constraint: SenderConstraint
    private let time: TimeSource

    /// - Parameters:
    ///   - clients: say who wants signed answers.
    ///   - codec: signs them.
    package init(
        tokens: AccessTokens, sessions: AppSessions, users: any UserClaimsSource,
        clients: Reloadable<ClientDirectory>, codec: IDTokenCodec,
        constraint: SenderConstraint = SenderConstraint(proofs: nil), time: TimeSource = .system
    ) {
        self.tokens = tokens
        self.sessions = sessions
        self.users = users
        self.clients = clients
        self.codec = codec
        self.constraint = constraint
        self.time = time
    }

    /// What the client gets.
    package enum Answer: Sendable {
        case plain(JSONValue)
        /// A JWT for clients with `userinfo_signed_response_alg`.
        case signed(Secret<String>)
    }

    /// The claims that the token's scope and its request open; empty ones are left out.
    /// - Throws: ``BearerRefusal``; `invalid_dpop_proof` or `use_dpop_nonce`; `insufficient_scope` for a token that was
    ///   not granted `openid`; ``StorageError``.
    package func answer(to presented: PresentedAccessToken) async throws -> Answer {
        let now = time.now()
        let access = try await tokens.active(presented.token, at: now)
        try await constraint.check(presented, boundTo: access.proofKeyThumbprint, at: now)
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
        guard let algorithm = clients.current[access.clientID]?.userInfoAlgorithm else {
            return .plain(.object(claims))
        }
        return .signed(
            try codec.signUserInfo(claims, audience: access.clientID, algorithm: algorithm, at: now))
    }
}
