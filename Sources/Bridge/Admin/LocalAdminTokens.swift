import OAuth2

/// Access tokens of our own that hold the scope `admin`.
package final class LocalAdminTokens: AdminAuthenticator {
    private let tokens: AccessTokens
    private let clients: Reloadable<ClientDirectory>
    private let administrators: any AdministratorDirectory
    private let requiresSecondFactor: Bool

    /// - Parameter requiresSecondFactor: of people; what a program proves is its client's.
    package init(
        tokens: AccessTokens, clients: Reloadable<ClientDirectory>, administrators: any AdministratorDirectory,
        requiresSecondFactor: Bool
    ) {
        self.tokens = tokens
        self.clients = clients
        self.administrators = administrators
        self.requiresSecondFactor = requiresSecondFactor
    }

    package func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator {
        guard let own = tokens.ours(token) else { throw AdminRefusal(.invalid) }
        let claims: AccessTokenClaims
        do {
            claims = try await tokens.active(own, at: now)
        } catch is BearerRefusal {
            throw AdminRefusal(.invalid)
        }
        guard SenderConstraint.permits(claims.proofKeyThumbprint, shown: provenKey),
            (claims.proofKeyThumbprint == nil) == (provenKey == nil)
        else {
            // RFC 9449 §7.1: the holder of a bound token can make proofs, and is asked for one.
            throw AdminRefusal(.invalid, codeBesideProof: claims.proofKeyThumbprint == nil ? nil : .invalidToken)
        }
        let administrator = Administrator(
            actor: claims.sessionID == nil ? .client(claims.clientID) : .account(claims.subject),
            credential: AdminCredential(
                tokenID: claims.id, clientID: claims.clientID, sessionID: claims.sessionID,
                signedInAt: claims.authentication.time, epoch: claims.countedEpoch),
            expiresAt: claims.expiresAt)
        guard claims.scope.contains(Scope.admin), try await hasRight(administrator) else {
            throw AdminRefusal(.notAdministrator, of: AdminRefusal.Holder(administrator))
        }
        guard isOfThisEpoch(administrator.credential) else {
            throw AdminRefusal(.invalid, of: AdminRefusal.Holder(administrator))
        }
        // A token says how its person signed in for as long as it lives, so it need not be asked again.
        if requiresSecondFactor, !claims.authentication.hasTwoFactors, case .account(let subject) = administrator.actor
        {
            throw AdminRefusal(
                try await administrators.refusalOfOneFactor(of: subject), of: AdminRefusal.Holder(administrator))
        }
        return administrator
    }

    package func stillAdministers(_ administrator: Administrator, at now: Timestamp) async throws -> Bool {
        let credential = administrator.credential
        guard now < administrator.expiresAt,
            try await tokens.isActive(credential.tokenID, sessionID: credential.sessionID, at: now)
        else { return false }
        guard isOfThisEpoch(credential) else { return false }
        return try await hasRight(administrator)
    }

    /// Whether it was got with what the client proves itself by now, and since the client has the right (ADR-0074).
    private func isOfThisEpoch(_ credential: AdminCredential) -> Bool {
        clients.current[credential.clientID]?.letsAdminister(since: credential.epoch) == true
    }

    /// It may have been taken away, or the client deleted, since the token was made.
    private func hasRight(_ administrator: Administrator) async throws -> Bool {
        guard clients.current[administrator.credential.clientID]?.mayAdminister == true else { return false }
        return switch administrator.actor {
        case .client: true
        case .account(let subject): try await administrators.isAdministrator(subject)
        case .login: false
        }
    }
}
