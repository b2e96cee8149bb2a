package import Bridge
package import OAuth2

// Verbs of stores without what few tests need.

extension LoginTokenStore {
    /// The same in the profile `session`, which has no refresh cookie.
    package func redeem(
        _ token: IssuedLoginToken, opening session: WebSession, use: LoginTokenUse,
        replacing replaced: [ReplacedSession], events: [AuditEvent]
    ) async throws -> LoginTokenRedeemOutcome {
        try await redeem(
            token, opening: session, refreshDigest: nil, use: use, replacing: replaced, events: events)
    }

    /// The same of a user who is known.
    package func recordIssue(
        _ token: IssuedLoginToken, scope: Scope?, idempotency: IdempotencyRecord?, event: AuditEvent
    ) async throws -> LoginTokenIssueOutcome {
        try await recordIssue(token, scope: scope, namedFirstBy: nil, idempotency: idempotency, event: event)
    }
}

extension SessionStore {
    /// The same without events ahead of the end's own.
    package func end(_ root: EndingRoot, _ ending: Ending) async throws -> Ended {
        try await end(root, ending, first: [])
    }
}
