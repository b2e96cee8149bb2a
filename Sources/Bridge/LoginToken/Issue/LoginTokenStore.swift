package import OAuth2

/// What becomes of login tokens. The token itself is stateless (HMAC); this is the durable arbiter of its single use.
///
/// Every verb is one transaction that also holds its audit events, and any number of concurrent calls on any number
/// of servers agree on one winner.
package protocol LoginTokenStore: Sendable {
    /// Records that a token was issued.
    ///
    /// With an idempotency record, the first call for its key wins; later ones write nothing and get the winner's
    /// record back as `.repeated` when the fingerprints agree, `.keyReused` when they do not. A key is free again once
    /// its record has expired, its token was revoked, or all unused tokens of its user were ended.
    /// - Parameters:
    ///   - scope: what the bearer had, when that is less than its session has.
    ///   - issuer: who names the token's user for the first time, which is noted with the issue; `nil` when the user is
    ///     known. Where another was faster, nothing is written, and the outcome is `.userKnown`.
    func recordIssue(
        _ token: IssuedLoginToken, scope: Scope?, namedFirstBy issuer: String?, idempotency: IdempotencyRecord?,
        event: AuditEvent
    ) async throws -> LoginTokenIssueOutcome

    /// The session that a token was issued from, in whatever state; `nil` when there is no such session of ours.
    func issuingSession(_ id: SessionID, of token: TokenID) async throws -> IssuingSessionRecord?

    /// The live record of an idempotency key; `nil` when unknown, expired at `now`, or of a token that was revoked or
    /// ended with its user's others.
    func idempotencyRecord(keyDigest: String, at now: Timestamp) async throws -> IdempotencyRecord?

    /// What is known of a token; `nil` when it was never recorded.
    func state(of id: TokenID) async throws -> LoginTokenState?

    /// Consumes the token and opens the session, at most once, ever.
    ///
    /// Works without a recorded issue too: a token that verifies is known to have been issued. Only one of any number
    /// of concurrent calls gets `.opened`, and only it writes `events`.
    /// - Parameters:
    ///   - refreshDigest: that of the session's first refresh cookie, in the profile `tokens`.
    ///   - replaced: the browser's old sessions; the call that opens ends them too, and writes the event of each
    ///     that was not ended before; see ``ReplacedSession/isSameUser`` for what hangs under it.
    func redeem(
        _ token: IssuedLoginToken, opening session: WebSession, refreshDigest: String?, use: LoginTokenUse,
        replacing replaced: [ReplacedSession], events: [AuditEvent]
    ) async throws -> LoginTokenRedeemOutcome

    /// Revokes an unused token. `event` is written only when this call revoked it.
    func revoke(_ token: IssuedLoginToken, at now: Timestamp, event: AuditEvent) async throws
        -> LoginTokenRevokeOutcome

    /// Counts a redemption of an unused token that failed its verifier or binding; at `limit` misses the token is
    /// revoked, in the same step. Nothing is counted of a token that is used or revoked.
    /// - Parameters:
    ///   - event: the miss; a call that revokes the token writes ``AuditEvent/revokingToken`` in any case.
    ///   - tells: whether `event` is written.
    /// - Returns: the number of misses so far.
    func recordMiss(
        _ token: IssuedLoginToken, at now: Timestamp, limit: Int, event: AuditEvent, tells: Bool
    ) async throws -> Int

    /// Records a replay, and ends everything that descends from the first use (contract §16.5).
    /// - Parameters:
    ///   - ending: `nil` ends nothing.
    ///   - alwaysTells: whether `replay` is written even by a call that ends nothing.
    func recordReplay(of id: TokenID, replay: AuditEvent, ending: Ending?, alwaysTells: Bool) async throws -> Ended

    /// Removes what is known of tokens (and idempotency keys) that expired before `cutoff`.
    ///
    /// The uniqueness of `login_token_id` in the session row still refuses a purged token's second use, and a token
    /// that is long expired does not verify anyway.
    /// - Returns: how many tokens, at most `limit`.
    func purgeLoginTokens(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// The facts of an issued token that outlive its signature.
package struct IssuedLoginToken: Hashable, Sendable {
    package let id: TokenID
    package let subject: Subject
    /// The issuing app.
    package let clientID: ClientID
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// The session that it was issued from, where that is known.
    package let sessionID: SessionID?

    package init(
        id: TokenID, subject: Subject, clientID: ClientID, issuedAt: Timestamp, expiresAt: Timestamp,
        sessionID: SessionID? = nil
    ) {
        self.id = id
        self.subject = subject
        self.clientID = clientID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.sessionID = sessionID
    }
}

/// The first and only use of a token.
package struct LoginTokenUse: Hashable, Sendable {
    package let at: Timestamp
    /// The session it opened.
    package let sessionID: SessionID
    /// The address it came from.
    package let address: String?
    /// Base64url of SHA-256 over the user agent; ``serverMark`` for a website's server.
    package let userAgentDigest: String?

    /// Stands for no browser: too short for a digest.
    static let serverMark = "server"

    package init(at: Timestamp, sessionID: SessionID, address: String?, userAgentDigest: String?) {
        self.at = at
        self.sessionID = sessionID
        self.address = address
        self.userAgentDigest = userAgentDigest
    }
}

/// The session that a bearer named when a token was issued, as the store has it.
package enum IssuingSessionRecord: Hashable, Sendable {
    /// - Parameter scope: what the bearer had, as far as ``LoginTokenStore`` was told of it at the issue.
    case app(AppSession, scope: Scope?)
    case browser(WebSession)
}

/// What is known of a token.
package struct LoginTokenState: Hashable, Sendable {
    /// Whether it can still be used, as the database knows it; its expiry is judged apart.
    package enum Status: Hashable, Sendable {
        case pending
        case redeemed(LoginTokenUse)
        case revoked(at: Timestamp)
    }

    package let token: IssuedLoginToken
    package let status: Status
    /// Redemptions that failed their verifier or binding.
    package let misses: Int

    package init(token: IssuedLoginToken, status: Status, misses: Int) {
        self.token = token
        self.status = status
        self.misses = misses
    }
}

/// The answer to an issue, kept so that a repeated `Idempotency-Key` gets it again. It holds the signed payload but
/// not the signature, so it is not a token: the issuer signs it again.
package struct IdempotencyRecord: Hashable, Sendable {
    /// Base64url of SHA-256 over client, subject and key.
    package let keyDigest: String
    /// Base64url of SHA-256 over everything the answer depends on.
    package let fingerprint: String
    package let tokenID: TokenID
    /// The signing key's `kid`.
    package let keyID: String
    /// The JWS payload, as signed.
    package let payload: String
    package let expiresAt: Timestamp

    package init(
        keyDigest: String, fingerprint: String, tokenID: TokenID, keyID: String, payload: String,
        expiresAt: Timestamp
    ) {
        self.keyDigest = keyDigest
        self.fingerprint = fingerprint
        self.tokenID = tokenID
        self.keyID = keyID
        self.payload = payload
        self.expiresAt = expiresAt
    }
}

/// Whether an issue was recorded, or which earlier request stands in its way (contract §3).
package enum LoginTokenIssueOutcome: Hashable, Sendable {
    case recorded
    /// The key was used before for the same request.
    case repeated(IdempotencyRecord)
    /// The key was used before for another request.
    case keyReused
    /// The user was named before, perhaps by another issuer.
    case userKnown
}

/// Whether this redemption was the first; otherwise what came before it (contract §4.3).
package enum LoginTokenRedeemOutcome: Hashable, Sendable {
    case opened
    case alreadyUsed(LoginTokenUse)
    case revoked(at: Timestamp)
}

/// Whether a token was taken back, or what had already happened to it (contract §3).
package enum LoginTokenRevokeOutcome: Hashable, Sendable {
    case revoked
    case alreadyUsed(at: Timestamp)
    case alreadyRevoked(at: Timestamp)
}

/// Why a login token was over that nobody redeemed, in the audit log.
enum LoginTokenRevocation: String {
    case byApp = "by_app"
    /// It came back to the browser whose session it was issued from.
    case signedInHere = "signed_in_here"
    case tooManyMisses = "too_many_misses"
}

extension AuditEvent {
    /// This miss as a login token's last: with it the token is over (contract §4.3).
    package var revokingToken: AuditEvent {
        var event = self
        event.type = .loginTokenRevoked
        event.outcome = .success
        event.reason = LoginTokenRevocation.tooManyMisses.rawValue
        return event
    }
}
