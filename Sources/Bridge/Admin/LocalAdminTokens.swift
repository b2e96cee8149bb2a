import OAuth2

/// Access tokens of our own that hold the scope `admin`.
package struct LocalAdminTokens: AdminAuthenticator {
    private let tokens: AccessTokens
    private let clients: Reloadable<ClientDirectory>
    private let administrators: any AdministratorDirectory

    package init(
        tokens: AccessTokens, clients: Reloadable<ClientDirectory>, administrators: any AdministratorDirectory
    ) {
        self.tokens = tokens
        self.clients = clients
        self.administrators = administrators
    }

    package func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator {
        guard tokens.claims(token) else { throw AdminRefusal.invalid }
        let claims: AccessTokenClaims
        do {
            claims = try await tokens.active(token, at: now)
        } catch is BearerRefusal {
            throw AdminRefusal.invalid
        }
        guard SenderConstraint.permits(claims.proofKeyThumbprint, shown: provenKey),
            (claims.proofKeyThumbprint == nil) == (provenKey == nil)
        else { throw AdminRefusal.invalid }
        // The right may have been taken away, or the client deleted, since the token was made.
        guard claims.scope.contains(Scope.admin), let client = clients.current[claims.clientID],
            client.scope.contains(Scope.admin)
        else { throw AdminRefusal.notAdministrator }
        guard claims.sessionID != nil else {
            return Administrator(actor: .client(claims.clientID), expiresAt: claims.expiresAt)
        }
        guard try await administrators.isAdministrator(claims.subject) else { throw AdminRefusal.notAdministrator }
        return Administrator(actor: .account(claims.subject), expiresAt: claims.expiresAt)
    }
}
