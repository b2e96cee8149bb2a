package import OAuth2

/// `client_credentials`: an access token for the client itself (RFC 6749 §4.4).
package final class ClientCredentialsGrant: TokenGrant {
    package let type = GrantType.clientCredentials
    private let tokens: SessionTokens
    private let audit: any AuditLog
    private let gate: LimitGate
    private let limits: LimitSettings

    package init(
        tokens: SessionTokens, audit: any AuditLog, refusals: RefusalLog, limiter: any RateLimiter,
        limits: LimitSettings
    ) {
        self.tokens = tokens
        self.audit = audit
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        let client = request.client
        guard !client.isPublic else {
            throw OAuthError(.unauthorizedClient, "a public client cannot act for itself", detail: .publicClient)
        }
        // Each costs a signature, and an event that stays.
        let key = RateLimitKey(
            scope: "client_credentials.client", value: client.id.rawValue, bucket: limits.clientCredentialsPerClient)
        try await gate.pass(
            [key], client: client.id, origin: request.origin, at: request.at, else: .slowDown,
            "too many tokens of one client")
        let scope = try request.requestedScope() ?? client.scope
        guard scope.isSubset(of: client.scope) else {
            throw OAuthError(.invalidScope, "scope is wider than the client's own", detail: .scopeWidened)
        }
        try await request.useUpProof()
        let (response, id) = try tokens.answer(
            for: client, scope: scope, proofKeyThumbprint: request.proofKeyThumbprint, at: request.at)
        try await audit.append([
            AuditEvent(
                at: request.at, type: .accessTokenIssued, outcome: .success, clientID: client.id, tokenID: id,
                origin: request.origin)
        ])
        return .tokens(response)
    }
}
