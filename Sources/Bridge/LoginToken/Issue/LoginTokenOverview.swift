import OAuth2

/// What an app may know and do about a token it issued; to anyone else the token does not exist (contract §3).
package final class LoginTokenOverview: Sendable {
    private let store: any LoginTokenStore
    private let parents: ParentSessions
    private let time: TimeSource

    package init(store: any LoginTokenStore, parents: ParentSessions, time: TimeSource = .system) {
        self.store = store
        self.parents = parents
        self.time = time
    }

    /// A token's state as the app sees it.
    package struct Status: Hashable, Sendable {
        /// What the app is told of its token (contract §3).
        package enum Word: String, Sendable { case pending, redeemed, expired, revoked }
        package let id: TokenID
        package let word: Word
        package let expiresAt: Timestamp
        package let redeemedAt: Timestamp?
    }

    /// - Throws: `OAuthError` `not_found` for an unknown token and for one of another app or user.
    package func status(of id: TokenID, bearer: BearerIdentity) async throws -> Status {
        let state = try await ownState(of: id, bearer: bearer)
        let redeemedAt: Timestamp? = if case .redeemed(let use) = state.status { use.at } else { nil }
        return Status(
            id: id, word: try await word(for: state, at: time.now()), expiresAt: state.token.expiresAt,
            redeemedAt: redeemedAt)
    }

    private func word(for state: LoginTokenState, at now: Timestamp) async throws -> Status.Word {
        switch state.status {
        case .redeemed: return .redeemed
        case .revoked: return .revoked
        case .pending:
            guard now < state.token.expiresAt else { return .expired }
            // Ending a session ends what was issued from it and not used yet (contract §7).
            return try await parents.hasEnded(state.token.sessionID, at: now) ? .revoked : .pending
        }
    }

    /// Revokes an unused token; where it is over already, that changes nothing and leaves no event.
    /// - Throws: `OAuthError` `not_found` as above, `conflict` when it was redeemed.
    package func revoke(_ id: TokenID, bearer: BearerIdentity, origin: RequestOrigin) async throws {
        let state = try await ownState(of: id, bearer: bearer)
        let now = time.now()
        switch try await word(for: state, at: now) {
        case .expired, .revoked: return
        case .pending, .redeemed: break
        }
        let event = AuditEvent(
            at: now, type: .loginTokenRevoked, outcome: .success, reason: "by_app", subject: bearer.subject,
            clientID: bearer.clientID, sessionID: bearer.sessionID, tokenID: id, origin: origin)
        guard case .alreadyUsed = try await store.revoke(state.token, at: now, event: event) else { return }
        throw OAuthError(.conflict, "the login token was redeemed already", detail: .alreadyRedeemed)
    }

    private func ownState(of id: TokenID, bearer: BearerIdentity) async throws -> LoginTokenState {
        guard let state = try await store.state(of: id), state.token.clientID == bearer.clientID,
            state.token.subject == bearer.subject
        else { throw OAuthError(.notFound, "there is no such login token") }
        return state
    }
}
