import OAuth2

/// A website's server that redeems a login token itself (contract §4.4).
package struct BackChannelRedemption: Sendable {
    package let token: Secret<String>
    /// The authenticated client.
    package let website: Client
    package let codeVerifier: String?
    package let origin: RequestOrigin

    package init(token: Secret<String>, website: Client, codeVerifier: String?, origin: RequestOrigin) {
        self.token = token
        self.website = website
        self.codeVerifier = codeVerifier
        self.origin = origin
    }
}

extension LoginTokenRedeemer {
    /// Redeems for the website's server. Single use is shared with browsers: a second use, by whichever way, ends what
    /// the first one opened.
    /// - Throws: `invalid_grant` for every refusal; `rate_limited`; ``StorageError``.
    package func redeem(_ request: BackChannelRedemption) async throws -> WebSession {
        let now = time.now()
        let origin = request.origin
        let claims: LoginTokenClaims
        switch try await codec.verify(request.token, at: now) {
        case .refused(let flaw):
            return try await refuse(
                try await refusals.refuse(RedemptionRefusal(flaw), origin: origin, at: now))
        case .expired(let expired):
            return try await refuse(try await refusals.refuse(.expired, claims: expired, origin: origin, at: now))
        case .verified(let verified): claims = verified
        }
        // Before anything else: another website's token is none of this one's business, and stays good.
        guard claims.audience == request.website.id, request.website.kind == .web else {
            return try await refuse(
                try await refusals.refuse(.unknownWebsite, claims: claims, origin: origin, at: now))
        }
        let directory = clients.current
        guard let app = directory[claims.clientID], app.canIssueLoginTokens, app.mayReach.contains(request.website.id)
        else {
            return try await refuse(
                try await refusals.refuse(.clientWithoutRight, claims: claims, origin: origin, at: now))
        }
        if let flaw = BindingCheck.failure(
            of: claims.binding, verifier: request.codeVerifier, address: origin.address)
        {
            return try await refuse(try await miss(flaw, claims: claims, origin: origin, at: now))
        }
        if let known = undecided.session(of: claims.id, at: now),
            case .redeemed(let use) = try await store.state(of: claims.id)?.status,
            use.sessionID == known.session.id
        {
            undecided.forget(claims.id)
            return known.session
        }
        let issuing: IssuingSession
        switch try await standing(of: claims, at: now) {
        case .success(let session): issuing = session
        case .failure(let flaw):
            return try await refuse(try await refusals.refuse(flaw, claims: claims, origin: origin, at: now))
        }
        // A website that only takes tokens by its back channel needs no path to land on.
        let landing =
            Landing.decide(.absent, sealed: claims.target, website: request.website, ownOrigin: settings.publicOrigin)
            ?? Landing(location: settings.publicOrigin.description + "/", refusal: nil)
        let redemption = Redemption(
            claims: claims, issuing: issuing, website: request.website, landing: landing, origin: origin, at: now,
            isByServer: true)
        if try await replayGuard.claim(claims.id, until: claims.expiresAt, at: now) == .claimedBefore,
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return try await refuse(outcome)
        }
        let outcome = try await open(redemption, replacing: [])
        guard case .landed(_, .some(let opened)) = outcome else { return try await refuse(outcome) }
        return opened.session
    }

    /// Nothing but "no": the reasons are in the audit log.
    private func refuse(_ outcome: RedemptionOutcome) async throws -> WebSession {
        if case .limited(let wait) = outcome {
            throw OAuthError(
                .rateLimited, "Too many login tokens were refused.", detail: "redeem.network",
                retryAfter: wait.roundedUpSeconds)
        }
        throw OAuthError(.invalidGrant, "The login token is not valid.", detail: "login_token_refused")
    }
}
