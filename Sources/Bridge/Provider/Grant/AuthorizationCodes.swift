import OAuth2

/// Issues authorization codes: 256 random bits, one minute, once (RFC 6749 §4.1.2).
package final class AuthorizationCodes: Sendable {
    /// The longest life that the FAPI 2 test suite accepts.
    package static let lifetime = Duration.seconds(60)

    private let store: any GrantStore
    private let limit: UserLimit
    private let random: RandomSource

    package init(store: any GrantStore, limit: UserLimit, random: RandomSource = .system) {
        self.store = store
        self.limit = limit
        self.random = random
    }

    /// That a user may have one more code, or decline one.
    struct Admission: Sendable {
        fileprivate init() {}
    }

    /// Asked before anything is written.
    /// - Throws: `rate_limited` when the user had too many.
    func admit(
        _ subject: Subject, client: ClientID, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Admission {
        try await limit.pass(
            of: subject, client: client, origin: origin, at: now, else: .rateLimited,
            "too many authorizations of one user")
        return Admission()
    }

    /// Makes a code for the redirect; it and its audit event are durable when this returns.
    /// - Returns: `nil` when the browser's session ended in this very moment.
    /// - Throws: `rate_limited`; ``StorageError``.
    package func issue(
        _ grant: AuthorizationGrant, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Secret<String>? {
        let admission = try await admit(grant.subject, client: grant.clientID, origin: origin, at: now)
        return try await issue(grant, admission, origin: origin, at: now)
    }

    /// As ``issue(_:origin:at:)``, for a user who was admitted already.
    /// - Parameter admission: says nothing, and cannot be had without the limit.
    func issue(
        _ grant: AuthorizationGrant, _ admission: Admission, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Secret<String>? {
        let code = OpaqueSecret.make(.authorizationCode, at: now, random: random)
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.codeID, IssuedAuthorizationCode.publicName(code.digest))
        let isRecorded = try await store.recordCode(
            IssuedAuthorizationCode(digest: code.digest, grant: grant, issuedAt: now, expiresAt: now + Self.lifetime),
            event: AuditEvent(
                at: now, type: .authorizationCodeIssued, outcome: .success, subject: grant.subject,
                clientID: grant.clientID, sessionID: grant.browserSessionID, origin: origin,
                detail: detail.finishedText()))
        return isRecorded ? Secret(code.expose()) : nil
    }
}
