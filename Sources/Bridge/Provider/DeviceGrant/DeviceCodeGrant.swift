package import OAuth2

/// `urn:ietf:params:oauth:grant-type:device_code`: a device asks again and again whether its user has let it in
/// (RFC 8628 §3.4, §3.5).
package final class DeviceCodeGrant: TokenGrant {
    /// Two requests of one device that crossed are not a thief's; what comes later than this is.
    static let crossing = Duration.seconds(1)

    package let type = GrantType.deviceCode
    private let devices: any DeviceAuthorizationStore
    private let polls: any DevicePolls
    private let redemption: CodeRedemption

    package init(
        devices: any DeviceAuthorizationStore, polls: any DevicePolls, codes: any GrantStore,
        browsers: any SessionStore, endings: SessionEndings, refreshTokens: RefreshTokens, tokens: SessionTokens,
        refusals: RefusalLog, random: RandomSource = .system
    ) {
        self.devices = devices
        self.polls = polls
        redemption = CodeRedemption(
            codes: codes, browsers: browsers, endings: endings, refreshTokens: refreshTokens, tokens: tokens,
            refusals: refusals, random: random)
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        let presented = try request.required("device_code", else: .missingDeviceCode)
        guard let secret = OpaqueSecret(presented, kind: .deviceCode),
            let state = try await devices.deviceAuthorization(digest: secret.digest)
        else { throw Self.refused(.unknownDeviceCode) }
        // Nothing is counted: another client cannot spoil what it may not redeem.
        guard state.authorization.clientID == request.client.id else { throw Self.refused(.otherClient) }
        switch state.decision {
        case .denied: throw OAuthError(.accessDenied, "the user declined", detail: .denied)
        case .pending: throw try await waiting(state.authorization, request)
        case .approved:
            // An approval ends with the session that it was given in.
            guard let code = try await redemption.codes.code(digest: secret.digest) else {
                throw OAuthError(.accessDenied, "the approval has ended", detail: .approvalEnded)
            }
            return try await redeem(code, request)
        }
    }

    private func waiting(_ authorization: DeviceAuthorization, _ request: TokenRequest) async throws -> OAuthError {
        guard request.at < authorization.expiresAt else { return Self.expired }
        let poll = try await polls.poll(authorization.digest, until: authorization.expiresAt, at: request.at)
        return poll.isTooSoon
            ? OAuthError(
                .pollingTooFast, "ask every \(poll.interval.roundedUpSeconds) seconds from now on", detail: .tooSoon)
            : OAuthError(.authorizationPending, "the user has not answered yet", detail: .pending)
    }

    private func redeem(_ state: AuthorizationCodeState, _ request: TokenRequest) async throws -> TokenResponse {
        try await request.useUpProof()
        if let redeemedAt = state.redeemedAt { return try await reused(state, since: redeemedAt, request) }
        guard request.at < state.code.expiresAt else { throw Self.expired }
        let client = request.client
        guard let browser = try await redemption.browser(of: state, at: request.at) else {
            throw OAuthError(.accessDenied, "the approval has ended", detail: .approvalEnded)
        }
        // Its demands may have grown since its user answered.
        guard client.acceptsStrength(of: browser.authentication) else {
            throw OAuthError(
                .accessDenied, "the sign-in is weaker than the client wants; begin again",
                detail: .authenticationTooWeak)
        }
        let scope = try state.code.grant.scope.stillGranted(within: client.deviceScope)
        let opening = try await redemption.open(
            state, request,
            lineage: browser.grantedToDevice(
                scope, at: request.at,
                lifetime: client.mayRenewDevices ? redemption.refreshTokens.sessionLifetime : client.accessTokenLifetime
            ),
            as: .deviceCodeRedeemed, hasRefreshToken: client.mayRenewDevices)
        switch opening.outcome {
        case .opened: break
        case .alreadyUsed: throw Self.refused(.deviceCodeReused)
        case .gone: throw Self.expired
        case .subjectDisabled: throw OAuthError(.accessDenied, "the approval has ended", detail: .subjectDisabled)
        }
        return .tokens(
            try await redemption.tokens.answer(
                for: opening.session, client: client, scope: opening.session.scope,
                extras: .init(refreshToken: opening.refreshToken, proofKeyThumbprint: request.proofKeyThumbprint),
                at: request.at))
    }

    /// One of the two who redeemed it stole it, so what it opened ends, as of any code (RFC 6749 §4.1.2).
    private func reused(
        _ state: AuthorizationCodeState, since redeemedAt: Timestamp, _ request: TokenRequest
    ) async throws -> TokenResponse {
        guard request.at - redeemedAt > Self.crossing else { throw Self.refused(.deviceCodeReused) }
        try await redemption.endReused(state, request, as: .deviceCodeReused, reason: .deviceCodeReused)
        throw Self.refused(.deviceCodeReused)
    }

    private static var expired: OAuthError {
        OAuthError(.expiredToken, "the device code has expired; begin again", detail: .expiredDeviceCode)
    }

    private static func refused(_ detail: RefusalReason) -> OAuthError {
        OAuthError(.invalidGrant, "the device code is not valid", detail: detail)
    }
}
