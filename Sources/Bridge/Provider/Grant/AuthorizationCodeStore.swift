/// Authorization codes, and the arbiter of their single use.
package protocol AuthorizationCodeStore: Sendable {
    /// Keeps a code as long as the browser's session that it was issued in lives.
    /// - Returns: whether that is so; when not, nothing was written.
    func recordCode(_ code: IssuedAuthorizationCode, event: AuditEvent) async throws -> Bool

    /// The code with this digest in whatever state; `nil` when there is none.
    func code(digest: String) async throws -> AuthorizationCodeState?

    /// Uses a code up and opens the session it stands for, in one transaction.
    ///
    /// Of any number of concurrent callers one gets `.opened`. The code must not have expired, its user must not be
    /// disabled and the browser's session that it goes on under must not have ended.
    func redeemCode(
        digest: String, opening session: AppSession, refreshToken: RefreshTokenRecord?, at now: Timestamp,
        events: [AuditEvent]
    ) async throws -> AuthorizationCodeRedeemOutcome

    /// Counts a redemption of an unused code that failed by its client or verifier; the code goes with the `limit`th.
    /// - Parameter alwaysTells: whether `event` is written even by a call that takes no code away.
    func recordCodeMiss(digest: String, limit: Int, event: AuditEvent, alwaysTells: Bool) async throws

    /// Records a second use and ends the session that the first one opened, with all that came of it.
    /// - Parameter alwaysTells: whether `reuse` is written even by a call that ends nothing.
    func recordCodeReuse(
        digest: String, reuse: AuditEvent, ending: Ending, alwaysTells: Bool
    ) async throws -> Ended

    /// - Returns: how many, at most `limit` of them.
    func purgeCodes(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// A code as it is kept.
package struct IssuedAuthorizationCode: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of the code.
    package let digest: String
    package let grant: AuthorizationGrant
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(digest: String, grant: AuthorizationGrant, issuedAt: Timestamp, expiresAt: Timestamp) {
        self.digest = digest
        self.grant = grant
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

package struct AuthorizationCodeState: Hashable, Sendable {
    package let code: IssuedAuthorizationCode
    package let misses: Int
    /// The browser's session that it was issued in, from which what it opens descends.
    package let grantedIn: SessionID
    /// The session that the first use opened.
    package let sessionID: SessionID?
    package let redeemedAt: Timestamp?

    package init(
        code: IssuedAuthorizationCode, misses: Int, grantedIn: SessionID, sessionID: SessionID?,
        redeemedAt: Timestamp?
    ) {
        self.code = code
        self.misses = misses
        self.grantedIn = grantedIn
        self.sessionID = sessionID
        self.redeemedAt = redeemedAt
    }
}

package enum AuthorizationCodeRedeemOutcome: Hashable, Sendable {
    case opened
    case alreadyUsed
    /// Unknown, expired or purged.
    case gone
    case subjectDisabled
}
