import OAuth2

/// Reads requests that bring a login token: verifies it, and gathers all that its redemption depends on. Uses nothing
/// up, and refuses nothing.
package final class RedemptionReader: Sendable {
    private let settings: LoginTokenSettings
    private let codec: LoginTokenCodec
    private let clients: Reloadable<ClientDirectory>
    private let sessions: WebSessions
    private let attempts: UnconfirmedAttempts

    package init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>,
        sessions: WebSessions, attempts: UnconfirmedAttempts
    ) {
        self.settings = settings
        self.codec = codec
        self.clients = clients
        self.sessions = sessions
        self.attempts = attempts
    }

    func verify(_ token: Secret<String>, at now: Timestamp) async throws -> LoginTokenVerification {
        try await codec.verify(token, at: now)
    }

    /// The website of a token of ours, expired or not; touches no state.
    func website(of token: Secret<String>, at now: Timestamp) async throws -> Client? {
        switch try await codec.verify(token, at: now) {
        case .verified(let claims), .expired(let claims): clients.current[claims.audience]
        case .refused: nil
        }
    }

    /// Whether a browser's visit uses the token up or is shown the confirm page (contract §4.2, §4.6).
    func decision(on request: RedemptionRequest, _ verification: LoginTokenVerification) -> VisitDecision {
        guard case .verified(let claims) = verification else { return .decide(request.visit, mode: .direct) }
        let directory = clients.current
        let mode = directory[claims.audience]?.redeemMode ?? .direct
        guard directory.isOfBrowser(claims) else { return .decide(request.visit, mode: mode) }
        let isExpected = claims.binding.handOff.map { expected in
            request.handOffState.map { ConstantTime.equals($0.digest.utf8, expected.utf8) } ?? false
        }
        return .decide(handOff: request.visit, mode: mode, isExpected: isExpected ?? false)
    }

    /// What a browser brings to the redemption path.
    func candidate(
        of request: RedemptionRequest, _ claims: LoginTokenClaims, isExpired: Bool, at now: Timestamp
    ) async throws -> RedemptionCandidate {
        let website = clients.current[claims.audience]
        let named = try await session(of: request, isUse: !isExpired, at: now)
        return RedemptionCandidate(
            channel: .browser, claims: claims, isExpired: isExpired, website: website,
            landing: landing(of: claims, at: website, request.redirect), origin: request.origin.examined, at: now,
            codeVerifier: request.codeVerifier, typedCode: request.typedCode.flatMap(SixDigits.read),
            hasTypedCode: request.typedCode?.isEmpty == false,
            current: named.alive, left: named.left, tokenSessions: request.tokenSessions,
            retry: attempts.retry(request.retry, for: claims),
            confirmsSwitch: request.confirmsSwitch && request.visit.formIsOurs)
    }

    /// What a website's server brings.
    func candidate(
        of request: BackChannelRedemption, _ claims: LoginTokenClaims, isExpired: Bool, at now: Timestamp
    ) -> RedemptionCandidate {
        // A website that only takes tokens by its back channel needs no path to land on.
        let landing =
            Landing.decide(.absent, sealed: claims.target, website: request.website, ownOrigin: settings.publicOrigin)
            ?? ownPage
        return RedemptionCandidate(
            channel: .server, claims: claims, isExpired: isExpired, website: request.website, landing: landing,
            origin: request.origin.examined, at: now, codeVerifier: request.codeVerifier,
            typedCode: request.typedCode.flatMap(SixDigits.read))
    }

    /// What a client's authorization request brings.
    /// - Parameter objection: why the request would not be answered for a session of such a lineage.
    func candidate(
        of request: TokenAuthorization, _ claims: LoginTokenClaims, isExpired: Bool, at now: Timestamp,
        objection: @escaping @Sendable (Lineage) async throws -> RedemptionRefusal?
    ) -> RedemptionCandidate {
        RedemptionCandidate(
            channel: .request, claims: claims, isExpired: isExpired, website: request.website, landing: ownPage,
            origin: request.origin.examined, at: now, current: request.current,
            left: request.current == nil ? request.left : nil, tokenSessions: request.tokenSessions,
            retry: attempts.retry(request.retry, for: claims), confirmsSwitch: request.confirmsSwitch,
            objection: objection)
    }

    /// Where a redemption lands that no browser follows.
    var ownPage: Landing { Landing(location: settings.publicOrigin.description + "/", refusal: nil) }

    /// The session that the browser's cookie names.
    /// - Parameter isUse: whether this puts the session's idle end off, which an expired token is not worth.
    private func session(
        of request: RedemptionRequest, isUse: Bool, at now: Timestamp
    ) async throws -> NamedSession {
        guard let secret = request.sessionSecret else { return NamedSession(nil, at: now) }
        if isUse { return try await sessions.lookUpOrLeft(secret) }
        return NamedSession(try await sessions.known(secret), at: now)
    }

    private func landing(
        of claims: LoginTokenClaims, at website: Client?, _ redirect: RedemptionRequest.RedirectParameter
    ) -> Landing? {
        guard let website, website.kind == .web else { return nil }
        return Landing.decide(
            redirect, sealed: claims.target, website: website, ownOrigin: settings.publicOrigin,
            issuer: settings.issuer)
    }
}
