/// Decides whether a bearer token is good and whom it names (RFC 6750).
package protocol BearerAuthenticator: Sendable {
    /// Verifies a token against the trusted issuers.
    /// - Throws: ``BearerRefusal`` when the token is not good, ``StorageError/unavailable(_:because:)`` when that
    ///   cannot be found out now.
    func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity

    /// Whether an issuer would be asked about the token before it could be said to be good: that is to be bounded, see
    /// ``BearerInquiries``.
    func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool

    /// The issuer of the settings whose token it says to be, whether or not that holds: an operator who reads of a
    /// refusal has to know whom to ask. Never a text of the token's own.
    func claimedIssuer(of token: Secret<String>) -> String?

    /// What the token and the settings do not agree in, where it was refused for that.
    func mismatch(of token: Secret<String>, refusedFor reason: BearerRefusal.Reason) -> BearerMismatch?
}

extension BearerAuthenticator {
    package func claimedIssuer(of token: Secret<String>) -> String? { nil }

    package func mismatch(of token: Secret<String>, refusedFor reason: BearerRefusal.Reason) -> BearerMismatch? { nil }
}

/// Believes access tokens of this instance; hands every other bearer to the trusted issuers.
package struct LocalBearers: BearerAuthenticator {
    private let tokens: AccessTokens
    private let subjects: Subjects
    private let issuer: String
    private let others: any BearerAuthenticator

    /// - Parameter subjects: whom the services ask about a bearer's user.
    package init(tokens: AccessTokens, subjects: Subjects, issuer: String, others: any BearerAuthenticator) {
        self.tokens = tokens
        self.subjects = subjects
        self.issuer = issuer
        self.others = others
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        guard let own = tokens.ours(token) else { return try await others.authenticate(token, at: now) }
        let claims = try await tokens.active(own, at: now, readingAheadFor: subjects)
        // Without a session it speaks for a client, and a client is not a user (contract §3).
        guard let sessionID = claims.sessionID else {
            throw claims.subject.isOfClient ? BearerRefusal.clientsOwnToken : .missing(claim: "sid")
        }
        return BearerIdentity(
            subject: claims.subject, clientID: claims.clientID, issuer: issuer, authority: .own, sessionID: sessionID,
            deviceID: try await tokens.device(of: sessionID, at: now)?.rawValue,
            authentication: claims.authentication, scope: claims.scope, proofKeyThumbprint: claims.proofKeyThumbprint,
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, cacheableUntil: now)
    }

    package func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool {
        others.mustAskIssuer(about: token, at: now) && !tokens.saysItIsOurs(token)
    }

    package func claimedIssuer(of token: Secret<String>) -> String? {
        tokens.saysItIsOurs(token) ? issuer : others.claimedIssuer(of: token)
    }

    package func mismatch(of token: Secret<String>, refusedFor reason: BearerRefusal.Reason) -> BearerMismatch? {
        guard !tokens.saysItIsOurs(token), var mismatch = others.mismatch(of: token, refusedFor: reason) else {
            return nil
        }
        if reason == .unknownIssuer { mismatch.configured.insert(issuer, at: 0) }
        return mismatch
    }
}
