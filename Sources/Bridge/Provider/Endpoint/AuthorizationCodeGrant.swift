package import OAuth2

/// `authorization_code`: a code becomes an app session with its tokens (RFC 6749 §4.1.3, RFC 7636 §4.6).
package final class AuthorizationCodeGrant: TokenGrant {
    /// The miss, by the wrong client or with the wrong verifier, with which the code is gone.
    static let missLimit = 3

    package let type = GrantType.authorizationCode
    private let redemption: CodeRedemption
    private let devices: (any DeviceSecretAttaching)?

    package init(
        codes: any GrantStore, browsers: any SessionStore, endings: SessionEndings,
        refreshTokens: RefreshTokens, tokens: SessionTokens, devices: (any DeviceSecretAttaching)? = nil,
        refusals: RefusalLog, random: RandomSource = .system
    ) {
        redemption = CodeRedemption(
            codes: codes, browsers: browsers, endings: endings, refreshTokens: refreshTokens, tokens: tokens,
            refusals: refusals, random: random)
        self.devices = devices
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        guard let secret = OpaqueSecret(try request.required("code", else: .missingCode), kind: .authorizationCode),
            let state = try await redemption.codes.code(digest: secret.digest)
        else { throw Self.refused(.unknownCode) }
        do {
            try check(request, against: state.code.grant)
        } catch let error {
            let refused = redemption.event(.authorizationCodeRefused, state, request, reason: error.detail)
            let isAdmitted = try await redemption.refusals.admits(refused, within: [.repeats(of: secret.digest)])
            let isTold = try await redemption.codes.recordCodeMiss(
                digest: secret.digest, limit: Self.missLimit, event: refused, alwaysTells: isAdmitted)
            if !isTold { redemption.refusals.countLeftOut(refused) }
            throw error
        }
        try await request.useUpProof()
        guard state.redeemedAt == nil else { return try await reused(state, request) }
        guard request.at < state.code.expiresAt else { throw Self.refused(.expiredCode) }
        return try await open(state, request)
    }

    /// What must be right before the code is touched; a failure does not use it up
    /// (docs/rules/authorization-request.md K1 to K6).
    private func check(_ request: TokenRequest, against grant: AuthorizationGrant) throws(OAuthError) {
        guard grant.clientID == request.client.id else { throw Self.refused(.otherClient) }
        if let redirectURI = request.parameters["redirect_uri"] {
            guard redirectURI.hasSameBytes(as: grant.redirectURI) else { throw Self.refused(.redirectURI) }
        } else if grant.codeChallenge == nil {
            // Only a verifier can replace it (OAuth 2.1, "Redirect URI Parameter in Token Request").
            throw Self.refused(.missingRedirectURI)
        }
        let verifier = request.parameters["code_verifier"]
        if let challenge = grant.codeChallenge {
            guard let verifier = verifier.flatMap({ CodeVerifier($0) }), challenge.isAnswered(by: verifier) else {
                throw Self.refused(.codeVerifier)
            }
        } else if verifier != nil {
            // An attacker took the challenge out of the authorization request (RFC 9700 §4.8.2).
            throw OAuthError(
                .invalidRequest, "code_verifier was sent, but no code_challenge before it", detail: .pkceDowngrade)
        }
        guard SenderConstraint.permits(grant.proofKeyThumbprint, shown: request.proofKeyThumbprint) else {
            throw Self.refused(.proofKey)
        }
    }

    private func open(_ state: AuthorizationCodeState, _ request: TokenRequest) async throws -> TokenResponse {
        let grant = state.code.grant
        let client = request.client
        guard let browser = try await redemption.browser(of: state, at: request.at) else {
            throw Self.refused(.sessionEnded)
        }
        // Its demands may have grown since the code was issued.
        guard client.acceptsStrength(of: browser.authentication) else { throw Self.refused(.authenticationTooWeak) }
        let scope = try grant.scope.stillGranted(within: client.grantableScope)
        let lineage = browser.granted(scope, at: request.at, lifetime: redemption.refreshTokens.sessionLifetime)
        let opening = try await redemption.open(
            state, request, lineage: lineage,
            // Not to the granted scope: `scope=openid` with `claims` is a request of its own (Core §5.5).
            requestedClaims: grant.requestedClaims.limited(to: browser.lineage.limiting(client.grantableScope)),
            as: .authorizationCodeRedeemed,
            hasRefreshToken: client.grantTypes.contains(.refreshToken) && lineage.mayBeRenewed)
        switch opening.outcome {
        case .opened: break
        case .alreadyUsed: return try await reused(state, request)
        case .gone: throw Self.refused(.expiredCode)
        case .subjectDisabled: throw Self.refused(.subjectDisabled)
        }
        let session = opening.session
        let deviceSecret =
            session.scope.contains(Scope.deviceSSO)
            ? try await devices?.attach(request.deviceSecretRequest(for: session), upon: .signIn) : nil
        return .tokens(
            try await redemption.tokens.answer(
                for: session, client: client, scope: session.scope,
                extras: .init(
                    refreshToken: opening.refreshToken, nonce: grant.nonce, deviceSecret: deviceSecret,
                    proofKeyThumbprint: request.proofKeyThumbprint),
                at: request.at))
    }

    /// One of the two who used the code stole it, and it cannot be told which: what it opened ends (RFC 6749 §4.1.2).
    private func reused(_ state: AuthorizationCodeState, _ request: TokenRequest) async throws -> TokenResponse {
        try await redemption.endReused(state, request, as: .authorizationCodeReused, reason: .codeReused)
        throw Self.refused(.codeReused)
    }

    private static func refused(_ detail: RefusalReason) -> OAuthError {
        OAuthError(.invalidGrant, "the authorization code is not valid", detail: detail)
    }
}
