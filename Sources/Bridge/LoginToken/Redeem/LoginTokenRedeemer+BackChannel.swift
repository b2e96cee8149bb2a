import OAuth2

extension LoginTokenRedeemer {
    /// Redeems for the website's server. Single use is shared with browsers: a second use, by whichever way, ends what
    /// the first one opened.
    /// - Throws: `invalid_grant` for every refusal; `invalid_client` for the token's own website that does not
    ///   authenticate; `rate_limited`; ``StorageError``.
    package func redeem(_ request: BackChannelRedemption) async throws -> WebSession {
        let now = time.now()
        let outcome = try await redeeming(request.token, at: now) { try await redeem(request, as: $0, at: now) }
        guard case .landed(_, .some(let opened)) = outcome else { throw refusal(outcome) }
        return opened.session
    }

    private func redeem(
        _ request: BackChannelRedemption, as verification: LoginTokenVerification, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        switch try await read(verification, origin: request.origin, at: now) {
        case .refused(let outcome): return outcome
        case .ours(let claims, _) where request.lacksAuthentication(for: claims):
            throw OAuthError(
                .invalidClient, "redeeming a login token takes a client that authenticates",
                detail: BackChannelRedemption.publicClient)
        case .ours(let claims, let isExpired):
            return try await redeem(reader.candidate(of: request, claims, isExpired: isExpired, at: now))
        }
    }

    /// Nothing but "no": the reasons are in the audit log.
    private func refusal(_ outcome: RedemptionOutcome) -> OAuthError {
        if case .limited(let wait) = outcome {
            return OAuthError(
                .rateLimited, "too many login tokens were refused", detail: LimitSettings.failedRedemptions,
                retryAfter: wait.roundedUpSeconds)
        }
        return OAuthError(.invalidGrant, "the login token is not valid", detail: .loginTokenRefused)
    }
}
