import OAuth2

extension LoginTokenRedeemer {
    /// Redeems for the website's server. Single use is shared with browsers: a second use, by whichever way, ends what
    /// the first one opened.
    /// - Throws: `invalid_grant` for every refusal; `invalid_client` for the token's own website that does not
    ///   authenticate; `rate_limited`; ``StorageError``.
    package func redeem(_ request: BackChannelRedemption) async throws -> WebSession {
        let now = time.now()
        let verification = try await reader.verify(request.token, at: now)
        let found: (claims: LoginTokenClaims, isExpired: Bool)
        do throws(LoginTokenRefusal) {
            found = try verification.read()
        } catch {
            return try await refuse(
                try await refusals.refuse(RedemptionRefusal(error), origin: request.origin, at: now))
        }
        guard !request.lacksAuthentication(for: found.claims) else {
            throw OAuthError(
                .invalidClient, "redeeming a login token takes a client that authenticates",
                detail: BackChannelRedemption.publicClient)
        }
        let candidate = reader.candidate(of: request, found.claims, isExpired: found.isExpired, at: now)
        let outcome = try await inTrace(of: verification) { try await redeem(candidate) }
        guard case .landed(_, .some(let opened)) = outcome else { return try await refuse(outcome) }
        return opened.session
    }

    /// Nothing but "no": the reasons are in the audit log.
    private func refuse(_ outcome: RedemptionOutcome) async throws -> WebSession {
        if case .limited(let wait) = outcome {
            throw OAuthError(
                .rateLimited, "too many login tokens were refused", detail: LimitSettings.failedRedemptions,
                retryAfter: wait.roundedUpSeconds)
        }
        throw OAuthError(.invalidGrant, "the login token is not valid", detail: .loginTokenRefused)
    }
}
