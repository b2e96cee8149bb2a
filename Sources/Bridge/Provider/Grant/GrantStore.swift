import OAuth2

/// What was granted: consents, authorization codes, app sessions, refresh tokens, and access tokens taken back.
package protocol GrantStore: Sendable {
    // What users have allowed apps to have.

    /// The scopes that the user has allowed the client; `nil` when never asked.
    func consent(of subject: Subject, to client: ClientID) async throws -> Set<String>?

    /// Adds scopes to what the user has allowed, and records the event.
    func rememberConsent(
        of subject: Subject, to client: ClientID, scopes: Set<String>, at now: Timestamp, event: AuditEvent
    ) async throws

    /// What the user has allowed, to whom, what was agreed to last first.
    func consents(of subject: Subject) async throws -> [Consent]

    /// Forgets what the user has allowed the client and ends what the client was granted by the user, in one
    /// transaction: codes that were not redeemed, and app sessions with what descends from them.
    /// - Returns: what ended; `nil` where nothing was allowed, and then nothing was written.
    func forgetConsent(
        of subject: Subject, to client: ClientID, _ ending: Ending, event: AuditEvent
    ) async throws -> Ended?

    // Authorization codes, and the arbiter of their single use.

    /// Keeps a code as long as the browser's session that it was issued in lives.
    /// - Returns: whether that is so; when not, nothing was written.
    func recordCode(_ code: IssuedAuthorizationCode, event: AuditEvent) async throws -> Bool

    /// The code with this digest in whatever state; `nil` when there is none.
    func code(digest: String) async throws -> AuthorizationCodeState?

    /// Uses a code up and opens the session it stands for, in one transaction.
    ///
    /// Only one of any number of concurrent callers gets `.opened`. The code must not have expired, its user must not
    /// be disabled and the browser's session that it goes on under must not have ended.
    func redeemCode(
        digest: String, opening session: AppSession, refreshToken: RefreshTokenRecord?, at now: Timestamp,
        events: [AuditEvent]
    ) async throws -> AuthorizationCodeRedeemOutcome

    /// Counts a redemption of an unused code that failed by its client or verifier; the code goes with the `limit`th.
    /// - Parameters:
    ///   - event: the miss; a call that takes the code away writes ``AuditEvent/takingCodeAway`` in its place.
    ///   - alwaysTells: whether `event` is written even by a call that takes no code away.
    /// - Returns: whether either was written.
    func recordCodeMiss(digest: String, limit: Int, event: AuditEvent, alwaysTells: Bool) async throws -> Bool

    /// Records a second use and ends the session that the first one opened, with everything that descends from it.
    /// - Parameter alwaysTells: whether `reuse` is written even by a call that ends nothing.
    func recordCodeReuse(
        digest: String, reuse: AuditEvent, ending: Ending, alwaysTells: Bool
    ) async throws -> Ended

    /// - Returns: how many, at most `limit` of them.
    func purgeCodes(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int

    // App sessions. ``SessionStore`` ends them.

    /// Opens a session that no code stands for, with its first refresh token.
    ///
    /// Nothing is written when the user is disabled, or when the parent or the browser session has ended.
    func open(_ session: AppSession, refreshToken: RefreshTokenRecord?, events: [AuditEvent]) async throws
        -> AppSessionOpenOutcome

    /// The session with this id, ended or not.
    func appSession(id: SessionID) async throws -> AppSession?

    /// The user's sessions that are alive, youngest first, at most `limit` after `cursor`, which itself may have ended.
    func appSessions(
        of subject: Subject, aliveAt now: Timestamp, before cursor: SessionID?, limit: Int
    ) async throws -> [AppSession]

    /// Removes app sessions and refresh tokens that expired before `cutoff`.
    /// - Returns: how many of the kind of which there were more, at most `limit` of each.
    func purgeAppSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int

    // Refresh tokens. All those of one app session are one family: it has one that is current, and ends with the session.

    /// The token with this digest, used or not, with its session; `nil` when there is none.
    func refreshToken(digest: String) async throws -> RefreshTokenState?

    /// Puts a successor in a token's place: only one of any number of concurrent callers gets `.rotated`.
    func rotate(digest: String, to successor: RefreshTokenRecord, at now: Timestamp, event: AuditEvent) async throws
        -> RefreshTokenRotation

    /// Moves the idle end of a token that is not rotated.
    /// - Returns: whether it was still current and its session alive; when not, nothing was written.
    func extendRefreshToken(digest: String, until expiry: Timestamp, at now: Timestamp, event: AuditEvent)
        async throws -> Bool

    // Access tokens that were revoked before their time, by `jti` (RFC 7009); kept until they would have expired.

    /// Does nothing for one that is revoked already.
    func revokeToken(_ id: TokenID, until expiry: Timestamp, event: AuditEvent) async throws

    func isRevoked(_ id: TokenID) async throws -> Bool

    /// - Returns: how many, at most `limit` of them.
    func purgeRevokedTokens(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

extension GrantStore {
    /// The user's youngest sessions that are alive, at most `limit`.
    package func appSessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) async throws -> [AppSession] {
        try await appSessions(of: subject, aliveAt: now, before: nil, limit: limit)
    }

    /// Redeems a code. Where the answer to the commit was lost, what is stored by then says whether it was made.
    func redeemOnce(
        digest: String, opening session: AppSession, refreshToken: RefreshTokenRecord?, at now: Timestamp,
        events: [AuditEvent]
    ) async throws -> AuthorizationCodeRedeemOutcome {
        try await StorageError.askingAgain { isSecond in
            let outcome = try await redeemCode(
                digest: digest, opening: session, refreshToken: refreshToken, at: now, events: events)
            guard isSecond, outcome == .alreadyUsed, try await code(digest: digest)?.sessionID == session.id else {
                return outcome
            }
            return .opened
        }
    }
}

extension AuditEvent {
    /// This miss as a code's last, which says so (docs/rules/authorization-request.md K6).
    package var takingCodeAway: AuditEvent {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.codeID, fact(AuditDetail.codeID))
        detail.add("ends", "authorization_code")
        var event = self
        event.detail = detail.finishedText()
        return event
    }
}
