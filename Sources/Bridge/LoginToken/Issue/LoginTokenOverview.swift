import OAuth2

/// What an app may know and do about a token it issued; to anyone else the token does not exist (contract §3).
package struct LoginTokenOverview: Sendable {
    private let store: any LoginTokenStore
    private let time: TimeSource

    package init(store: any LoginTokenStore, time: TimeSource = .system) {
        self.store = store
        self.time = time
    }

    /// A token's state as the app sees it.
    package struct Status: Hashable, Sendable {
        package enum Word: String, Sendable { case pending, redeemed, expired, revoked }
        package let id: TokenID
        package let word: Word
        package let expiresAt: Timestamp
        package let redeemedAt: Timestamp?
    }

    /// - Throws: `OAuthError` `not_found` for an unknown token and for one of another app or user.
    package func status(of id: TokenID, bearer: BearerIdentity) async throws -> Status {
        let state = try await ownState(of: id, bearer: bearer)
        return switch state.status {
        case .redeemed(let use):
            Status(id: id, word: .redeemed, expiresAt: state.token.expiresAt, redeemedAt: use.at)
        case .revoked: Status(id: id, word: .revoked, expiresAt: state.token.expiresAt, redeemedAt: nil)
        case .pending:
            Status(
                id: id, word: time.now() < state.token.expiresAt ? .pending : .expired,
                expiresAt: state.token.expiresAt, redeemedAt: nil)
        }
    }

    /// Revokes an unused token; revoking it again changes nothing.
    /// - Throws: `OAuthError` `not_found` as above, `conflict` when it was redeemed.
    package func revoke(_ id: TokenID, bearer: BearerIdentity, origin: RequestOrigin) async throws {
        let state = try await ownState(of: id, bearer: bearer)
        let now = time.now()
        let event = AuditEvent(
            at: now, type: .loginTokenRevoked, outcome: .success, reason: "by_app", subject: bearer.subject,
            clientID: bearer.clientID, sessionID: bearer.sessionID, tokenID: id, origin: origin)
        guard case .alreadyUsed = try await store.revoke(state.token, at: now, event: event) else { return }
        throw OAuthError(.conflict, "the login token was redeemed already", detail: "already_redeemed")
    }

    private func ownState(of id: TokenID, bearer: BearerIdentity) async throws -> LoginTokenState {
        guard let state = try await store.state(of: id), state.token.clientID == bearer.clientID,
            state.token.subject == bearer.subject
        else { throw OAuthError(.notFound, "there is no such login token") }
        return state
    }
}
