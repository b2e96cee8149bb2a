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
        clients: Reloadable<ClientDirectory>, codec: IDTokenCodec, constraint: SenderConstraint, time: TimeSource
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

    /// What an access token is, and that its sender may use it.
    /// - Throws: ``BearerRefusal``; `invalid_dpop_proof` or `use_dpop_nonce`; ``StorageError``.
    package func access(by presented: PresentedAccessToken) async throws -> AccessTokenClaims {
        let now = time.now()
        let access = try await tokens.active(presented.token, at: now)
        try await constraint.check(presented, boundTo: access.proofKeyThumbprint, at: now)
        return access
    }

    /// The claims that the token's scope and its request open, as far as its client may ask for them now; empty ones
    /// are left out.
    /// - Throws: `insufficient_scope` for a token that was not granted `openid`, or has no user; ``StorageError``.
    package func answer(openedBy access: AccessTokenClaims) async throws -> Answer {
        let claims = try await claims(openedBy: access)
        guard let algorithm = clients.current[access.clientID]?.userInfoAlgorithm else {
            return .plain(.object(claims))
        }
        return .signed(
            try codec.signUserInfo(claims, audience: access.clientID, algorithm: algorithm, at: time.now()))
    }

    /// The claims that an active access token opens.
    /// - Throws: `insufficient_scope` for one that was not granted `openid`, or has no user; ``StorageError``.
    package func claims(openedBy access: AccessTokenClaims) async throws -> [String: JSONValue] {
        guard access.scope.contains(Scope.openID) else {
            throw OAuthError(.insufficientScope, "the access token was not granted openid")
        }
        // Granted by client_credentials, whatever scope it has (RFC 6749 §4.4).
        guard let sessionID = access.sessionID else {
            throw OAuthError(.insufficientScope, "the access token is a client's own, with no user behind it")
        }
        let scope = tokens.presentScope(of: access)
        let session = try await sessions.alive(sessionID, at: time.now())
        let requested = session?.requestedClaims(with: scope, for: clients.current[access.clientID]) ?? .none
        return try await claims(
            named: ScopeClaims.names(openedBy: scope)
                .union(ScopeClaims.names(requested: requested.userInfo, with: scope)), of: access.subject)
    }

    /// What pages of a website may know of the user who is signed in there: as much as the website may ask for, and as
    /// the app had by which the session came to be.
    package func claims(openedBy session: WebSession) async throws -> [String: JSONValue] {
        let scope = clients.current[session.clientID]?.grantableScope ?? Client.defaultScope(of: .web)
        return try await claims(
            named: ScopeClaims.names(openedBy: session.lineage.limiting(scope)), of: session.subject)
    }

    private func claims(named names: Set<String>, of subject: Subject) async throws -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        if !names.isEmpty {
            claims = try await users.claims(of: subject).filter { names.contains($0.key) && !$0.value.isNull }
        }
        claims["sub"] = .string(subject.rawValue)
        return claims
    }
}
