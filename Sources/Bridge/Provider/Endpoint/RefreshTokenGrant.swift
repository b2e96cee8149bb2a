package import OAuth2

/// `refresh_token`: new tokens for a living session (RFC 6749 §6); rotation for public clients (RFC 9700 §4.14.2).
package final class RefreshTokenGrant: TokenGrant {
    package let type = GrantType.refreshToken
    private let store: any GrantStore
    private let endings: SessionEndings
    private let refreshTokens: RefreshTokens
    private let tokens: SessionTokens
    private let devices: (any DeviceSecretAttaching)?
    private let clients: Reloadable<ClientDirectory>
    private let limit: UserLimit

    package init(
        store: any GrantStore, endings: SessionEndings, refreshTokens: RefreshTokens, tokens: SessionTokens,
        devices: (any DeviceSecretAttaching)? = nil, clients: Reloadable<ClientDirectory>, limit: UserLimit
    ) {
        self.limit = limit
        self.store = store
        self.endings = endings
        self.refreshTokens = refreshTokens
        self.tokens = tokens
        self.devices = devices
        self.clients = clients
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        let presented = try request.required("refresh_token", else: .missingRefreshToken)
        guard let secret = OpaqueSecret(presented, kind: .refreshToken),
            let state = try await store.refreshToken(digest: secret.digest)
        else { throw Self.refused(.unknownRefreshToken) }
        do {
            return try await answer(request, secret, state)
        } catch let error as OAuthError {
            throw RefusedToken(error: error, owner: TokenOwner(of: state.session, digest: state.record.digest))
        }
    }

    private func answer(
        _ request: TokenRequest, _ secret: OpaqueSecret, _ state: RefreshTokenState
    ) async throws -> TokenResponse {
        guard state.session.clientID == request.client.id else { throw Self.refused(.otherClient) }
        guard state.session.isAlive(at: request.at) else { throw Self.refused(.sessionEnded) }
        guard SenderConstraint.permits(state.record.proofKeyThumbprint, shown: request.proofKeyThumbprint) else {
            throw Self.refused(.proofKey)
        }
        let scope = try request.requestedScope() ?? state.record.scope
        guard scope.isSubset(of: state.record.scope) else {
            throw OAuthError(.invalidScope, "scope is wider than what was granted", detail: .scopeWidened)
        }
        let granted: Scope
        let current: OpaqueSecret
        if state.rotatedAt == nil {
            // Before anything is used up.
            granted = try stillGranted(scope, in: state.session, to: request.client)
            current = try await use(secret, state, request)
        } else {
            // It may be stolen, which is found out first.
            current = try await successor(ofRepeated: secret, state, request)
            granted = try stillGranted(scope, in: state.session, to: request.client)
        }
        let deviceSecret =
            granted.contains(Scope.deviceSSO)
            ? try await devices?.attach(request.deviceSecretRequest(for: state.session), upon: .refresh) : nil
        return .tokens(
            try await tokens.answer(
                for: state.session, client: request.client, scope: granted,
                extras: .init(
                    refreshToken: current, deviceSecret: deviceSecret,
                    proofKeyThumbprint: request.proofKeyThumbprint),
                at: request.at))
    }

    /// The stored scope stays as it is: one that its client, or an app above it, is given back counts again. A session
    /// without any scope was opened by an exchange, and goes on without one.
    private func stillGranted(
        _ scope: Scope, in session: AppSession, to client: Client
    ) throws(OAuthError) -> Scope {
        let directory = clients.current
        let above = session.lineage.appsAbove.map { directory[$0] }
        guard client.isStillSignedIn(by: above) else { throw Self.refused(.sharedNoLonger) }
        return try scope.isEmpty ? scope : scope.stillGranted(within: client.grantableScope.present(in: above))
    }

    /// The one that the client was given before, where it asks for the lost answer again.
    private func successor(
        ofRepeated secret: OpaqueSecret, _ state: RefreshTokenState, _ request: TokenRequest
    ) async throws -> OpaqueSecret {
        let successor = refreshTokens.successor(of: secret)
        // Ahead of the limit: a stolen token is told from a good one however little is left to take.
        try await endIfStolen(successor, state, request)
        try await passLimit(state, request)
        try await request.useUpProof()
        return successor
    }

    /// Uses the token.
    /// - Returns: the one that the client holds from now on.
    private func use(
        _ secret: OpaqueSecret, _ state: RefreshTokenState, _ request: TokenRequest
    ) async throws -> OpaqueSecret {
        guard request.at < state.record.expiresAt else { throw Self.refused(.expiredRefreshToken) }
        try await passLimit(state, request)
        try await request.useUpProof()
        let session = state.session
        guard request.client.isPublic else {
            guard
                try await store.extendRefreshToken(
                    digest: state.record.digest, until: refreshTokens.end(in: session, at: request.at), at: request.at,
                    event: event(.refreshTokenUsed, state, request))
            else { throw Self.refused(.sessionEnded) }
            return secret
        }
        let successor = refreshTokens.successor(of: secret)
        // The first proof that is shown with an unbound token binds what is given from then on (RFC 9449 §5).
        let record = refreshTokens.record(
            successor, for: session, scope: state.record.scope,
            proofKeyThumbprint: state.record.proofKeyThumbprint ?? request.proofKeyThumbprint, at: request.at)
        let outcome = try await store.rotate(
            digest: state.record.digest, to: record, at: request.at,
            event: event(.refreshTokenRotated, state, request))
        switch outcome {
        case .rotated: return successor
        case .rotatedBefore(let state):
            try await endIfStolen(successor, state, request)
            return successor
        case .gone: throw Self.refused(.sessionEnded)
        }
    }

    private func passLimit(_ state: RefreshTokenState, _ request: TokenRequest) async throws {
        try await limit.pass(
            of: state.session.subject, client: request.client.id, origin: request.origin, at: request.at,
            else: .slowDown, "too many refreshes of one user")
    }

    /// A token that has a successor. Soon after, its answer was lost on the way; later, a thief has it.
    private func endIfStolen(
        _ successor: OpaqueSecret, _ state: RefreshTokenState, _ request: TokenRequest
    ) async throws {
        if let rotatedAt = state.rotatedAt, request.at - rotatedAt <= RefreshTokens.grace, !state.isSuccessorRotated,
            state.successorDigest == successor.digest, try await repeats(request, for: successor)
        {
            return
        }
        // A copy of a request that was answered ends nothing.
        try await request.useUpProof()
        try await endings.end(
            .appSession(state.session.id),
            Ending(at: request.at, reason: .refreshTokenReused, origin: request.origin, extent: .stolen),
            first: [event(.refreshTokenReused, state, request, reason: .reused)])
        throw Self.refused(.reused)
    }

    /// Whether a request shows the key that the successor was bound to, or none where that is unbound: with an unbound
    /// parent anyone gets this far. An app that asks again still has its key; a caller that shows another is not it.
    private func repeats(_ request: TokenRequest, for successor: OpaqueSecret) async throws -> Bool {
        guard let given = try await store.refreshToken(digest: successor.digest) else { return false }
        return SenderConstraint.matches(given.record.proofKeyThumbprint, shown: request.proofKeyThumbprint)
    }

    private func event(
        _ type: AuditEventType, _ state: RefreshTokenState, _ request: TokenRequest, reason: RefusalReason? = nil
    ) -> AuditEvent {
        AuditEvent(
            at: request.at, type: type, outcome: reason == nil ? .success : .failure, reason: reason?.rawValue,
            subject: state.session.subject, clientID: request.client.id, sessionID: state.session.id,
            origin: request.origin)
    }

    private static func refused(_ detail: RefusalReason) -> OAuthError {
        OAuthError(.invalidGrant, "the refresh token is not valid", detail: detail)
    }
}
