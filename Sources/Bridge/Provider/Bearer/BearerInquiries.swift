package import OAuth2

/// Verifies the bearers that requests present. To ask an issuer about one (RFC 7662) costs a request of ours, and its
/// sender no more than an invented text, so each network has only so many that came to nothing or are under way.
package struct BearerInquiries: Sendable {
    /// Counts nothing: for what an administrator asks.
    let authenticator: any BearerAuthenticator
    private let gate: LimitGate
    private let limits: LimitSettings
    private let excess: ErrorCode

    /// - Parameter excess: the error for a caller over the limit; the token endpoint has its own.
    package init(
        _ authenticator: any BearerAuthenticator, limiter: any RateLimiter, limits: LimitSettings,
        refusals: RefusalLog, else excess: ErrorCode = .rateLimited
    ) {
        self.authenticator = authenticator
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.excess = excess
    }

    /// Whom a token names.
    /// - Throws: as ``BearerAuthenticator/authenticate(_:at:)``, and `OAuthError` where an issuer would have to be
    ///   asked and the limit was exceeded; then none is asked.
    package func identity(
        of token: Secret<String>, from origin: RequestOrigin, at now: Timestamp
    ) async throws -> BearerIdentity {
        guard authenticator.mustAskIssuer(about: token, at: now) else {
            return try await authenticator.authenticate(token, at: now)
        }
        let keys = limits.bearerInquiryKeys(origin: origin)
        // Taken before anything is known of the token: otherwise all of a burst would be asked about before the first
        // answer counts.
        try await gate.pass(
            keys, origin: origin, at: now, else: excess, "too many access tokens whose issuer has to be asked")
        // What is not answered stays counted: a flood must not go on asking an issuer that it has overwhelmed.
        let identity = try await authenticator.authenticate(token, at: now)
        await gate.giveBack(keys, at: now)
        return identity
    }
}
