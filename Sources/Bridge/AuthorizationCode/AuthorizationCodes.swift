/// Issues authorization codes: 256 random bits, one minute, once (RFC 6749 §4.1.2).
package struct AuthorizationCodes: Sendable {
    /// The longest life that the FAPI 2 test suite accepts.
    package static let lifetime = Duration.seconds(60)

    private let store: any AuthorizationCodeStore
    private let random: RandomSource

    package init(store: any AuthorizationCodeStore, random: RandomSource = .system) {
        self.store = store
        self.random = random
    }

    /// Makes a code for the redirect; it and its audit event are durable when this returns.
    /// - Returns: `nil` when the browser's session ended in this very moment.
    /// - Throws: ``StorageError``.
    package func issue(
        _ grant: AuthorizationGrant, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Secret<String>? {
        let code = OpaqueSecret.make(.authorizationCode, random: random)
        let isRecorded = try await store.recordCode(
            IssuedAuthorizationCode(digest: code.digest, grant: grant, issuedAt: now, expiresAt: now + Self.lifetime),
            event: AuditEvent(
                at: now, type: .authorizationCodeIssued, outcome: .success, subject: grant.subject,
                clientID: grant.clientID, sessionID: grant.browserSessionID, origin: origin))
        return isRecorded ? Secret(code.expose()) : nil
    }
}
