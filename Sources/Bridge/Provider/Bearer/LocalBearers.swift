/// Believes access tokens of this instance; hands every other bearer to the trusted issuers.
package struct LocalBearers: BearerAuthenticator {
    private let tokens: AccessTokens
    private let issuer: String
    private let others: any BearerAuthenticator

    package init(tokens: AccessTokens, issuer: String, others: any BearerAuthenticator) {
        self.tokens = tokens
        self.issuer = issuer
        self.others = others
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        guard tokens.claims(token) else { return try await others.authenticate(token, at: now) }
        let claims = try await tokens.active(token, at: now)
        // Without a session it speaks for a client, and a client is no user.
        guard let sessionID = claims.sessionID else { throw BearerRefusal.missingClaim }
        return BearerIdentity(
            subject: claims.subject, clientID: claims.clientID, issuer: issuer, authority: .own, sessionID: sessionID,
            deviceID: try await tokens.device(of: sessionID, at: now)?.rawValue,
            authentication: claims.authentication, scope: claims.scope, proofKeyThumbprint: claims.proofKeyThumbprint,
            expiresAt: claims.expiresAt, cacheableUntil: now)
    }
}
