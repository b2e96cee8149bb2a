package import OAuth2

/// The token endpoint as a pipeline that no grant can skip: parse once, authenticate the client, find that it may use
/// the grant, let the grant decide, write down a refusal, answer.
package final class TokenEndpoint: Sendable {
    private let issuer: String
    private let authenticator: ClientAuthenticator
    private let grants: [GrantType: any TokenGrant]
    private let proofs: DPoPVerifier?
    private let refusals: TokenRequestRefusals
    private let time: TimeSource

    /// - Parameter proofs: `nil` offers no DPoP; then the header means nothing.
    package init(
        issuer: String, authenticator: ClientAuthenticator, grants: [any TokenGrant], proofs: DPoPVerifier?,
        refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings, time: TimeSource
    ) {
        self.issuer = issuer
        self.authenticator = authenticator
        self.grants = Dictionary(grants.map { ($0.type, $0) }, uniquingKeysWith: { $1 })
        self.proofs = proofs
        self.refusals = TokenRequestRefusals(refusals, limiter: limiter, limits: limits)
        self.time = time
    }

    package static var unsupportedGrantType: OAuthError {
        OAuthError(.unsupportedGrantType, "grant_type is not offered here", detail: .grantType)
    }

    /// What the metadata documents list.
    package var grantTypes: [GrantType] { GrantType.allCases.filter { grants[$0] != nil } }

    /// - Parameters:
    ///   - proof: the `DPoP` header, if there is one.
    ///   - cookies: whether this request may be answered with cookies; if not, a client that gets nothing else gets
    ///     nothing.
    /// - Throws: ``ClientRefused``, `OAuthError`, ``StorageError``.
    package func answer(
        _ parameters: FormParameters, basic: BasicCredentials, proof: PresentedProof = .none,
        cookies: CookieAllowance, origin: RequestOrigin
    ) async throws -> TokenResponse {
        let now = time.now()
        let client = try await authenticator.client(
            sending: parameters, basic: basic, origin: origin, at: now, else: .slowDown)
        var request = TokenRequest(parameters: parameters, client: client, origin: origin, at: now)
        do {
            if case .refused(let refusal) = cookies, client.delivery == .cookies { throw refusal.error }
            request.proof = try judge(proof, of: client, at: now)
            let grant = try await grant(for: request)
            try request.checkResource(of: grant.type, issuer: issuer)
            let response = try await grant.authorize(request)
            // Whatever the grant has done: nothing is given for a proof that could be shown again (RFC 9449 §11.1).
            try await request.useUpProof()
            return response
        } catch let error as OAuthError where error.code == .authorizationPending || error.code == .pollingTooFast {
            // A device waits for its user: nothing was refused, and it asks every few seconds.
            throw error
        } catch let refused as RefusedToken {
            try await refusals.record(
                refused.error, from: .known(client.id), of: refused.owner, origin: origin, at: now)
            throw refused.error
        } catch let error as OAuthError {
            try await refusals.record(error, from: .known(client.id), origin: origin, at: now)
            throw error
        }
    }

    /// Writes down a request that was refused before it came to ``answer(_:basic:proof:cookies:origin:)``.
    /// - Parameters:
    ///   - sender: who sent it.
    ///   - owner: whose the token is that came with it, where that is known.
    package func record(
        _ error: OAuthError, from sender: SendingClient = .unknown, of owner: TokenOwner? = nil,
        origin: RequestOrigin
    ) async throws {
        try await refusals.record(error, from: sender, of: owner, origin: origin, at: time.now())
    }

    /// The proof of a key, which is the grant's to use up; a client that is registered so must bring one
    /// (RFC 9449 §5.2).
    private func judge(
        _ proof: PresentedProof, of client: Client, at now: Timestamp
    ) throws(OAuthError) -> RequestProof? {
        guard proof.isPresent, let proofs else {
            guard !client.requiresProofOfPossession else { throw OAuthError(DPoPRefusal.missing) }
            return nil
        }
        return RequestProof(try proofs.judge(proof, at: now), verifier: proofs, at: now)
    }

    private func grant(for request: TokenRequest) async throws -> any TokenGrant {
        let name = try request.required("grant_type", else: .missingGrantType)
        guard let type = GrantType(rawValue: name), let grant = grants[type] else {
            throw Self.unsupportedGrantType
        }
        if !request.client.mayUse(type), try await !grant.refusesByItself(request) {
            throw OAuthError(.unauthorizedClient, "the client may not use this grant", detail: .grantType)
        }
        return grant
    }
}
