import OAuth2

/// What an app may know and do about a token it issued; to anyone else the token does not exist (contract §3).
package final class LoginTokenOverview: Sendable {
    private let store: any LoginTokenStore
    private let audit: any AuditLog
    private let subjects: Subjects
    private let parents: ParentSessions
    private let time: TimeSource

    /// - Parameter audit: where an issue said which website the token opens.
    package init(
        store: any LoginTokenStore, audit: any AuditLog, subjects: Subjects, parents: ParentSessions,
        time: TimeSource
    ) {
        self.store = store
        self.audit = audit
        self.subjects = subjects
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

    /// - Throws: `OAuthError` `not_found` for an unknown token and for one of another app or user, `invalid_token` for
    ///   a bearer whose user may not sign in.
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
            return try await parents.hasEnded(issuing: state.token, at: now) ? .revoked : .pending
        }
    }

    /// Revokes an unused token; where it is over already, that changes nothing and leaves no event.
    /// - Throws: `OAuthError` `not_found` as above, `conflict` when it was redeemed.
    package func revoke(_ id: TokenID, bearer: BearerIdentity, origin: RequestOrigin) async throws {
        let state = try await ownState(of: id, bearer: bearer)
        let now = time.now()
        switch try await word(for: state, at: now) {
        case .expired, .revoked: return
        // Nothing more can come of it, so nothing is looked for in the log.
        case .redeemed: throw Self.redeemedAlready
        case .pending: break
        }
        let event = AuditEvent(
            at: now, type: .loginTokenRevoked, outcome: .success, reason: LoginTokenRevocation.byApp.rawValue,
            subject: bearer.subject, clientID: bearer.clientID, targetClientID: await website(of: state.token),
            sessionID: bearer.sessionID, tokenID: id, origin: origin)
        guard case .alreadyUsed = try await store.revoke(state.token, at: now, event: event) else { return }
        throw Self.redeemedAlready
    }

    private static var redeemedAlready: OAuthError {
        OAuthError(.conflict, "the login token was redeemed already", detail: .alreadyRedeemed)
    }

    /// Pages that are searched for an issue. Where much of the log is not sealed yet, a page may be empty though others
    /// follow (``AuditLog/search(_:before:limit:)``); a revocation waits for no more than these.
    private static let searchedPages = 4

    /// The website that a token opens, which its own record does not say.
    /// - Returns: `nil` as well where the log cannot be searched, or not far enough: a token is revoked all the same.
    private func website(of token: IssuedLoginToken) async -> ClientID? {
        var filter = AuditFilter(type: .loginTokenIssued)
        filter.tokenID = token.id
        // The event has about the token's own time.
        filter.from = token.issuedAt - .seconds(10)
        var cursor: AuditCursor?
        for _ in 0..<Self.searchedPages {
            guard let page = try? await audit.search(filter, before: cursor, limit: 1) else { return nil }
            if let issue = page.records.first { return issue.event.targetClientID }
            guard let next = page.next else { return nil }
            cursor = next
        }
        return nil
    }

    private func ownState(of id: TokenID, bearer: BearerIdentity) async throws -> LoginTokenState {
        _ = try await subjects.admit(bearer)
        guard let state = try await store.state(of: id), state.token.clientID == bearer.clientID,
            state.token.subject == bearer.subject
        else { throw OAuthError(.notFound, "there is no such login token") }
        return state
    }
}
