package import OAuth2

/// `client_credentials`: an access token for the client itself (RFC 6749 §4.4).
package final class ClientCredentialsGrant: TokenGrant {
    package let type = GrantType.clientCredentials
    private let tokens: SessionTokens
    private let audit: any AuditLog

    package init(tokens: SessionTokens, audit: any AuditLog) {
        self.tokens = tokens
        self.audit = audit
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        let client = request.client
        guard !client.isPublic else {
            throw OAuthError(.unauthorizedClient, "a public client cannot act for itself", detail: .publicClient)
        }
        let scope = try request.requestedScope() ?? client.scope
        guard scope.isSubset(of: client.scope) else {
            throw OAuthError(.invalidScope, "scope is wider than the client's own", detail: .scopeWidened)
        }
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
