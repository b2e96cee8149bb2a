import OAuth2

/// Finds out which client asks, and whether it is the one it says (RFC 6749 §2.3, §3.2.1).
package final class ClientAuthenticator: Sendable {
    private let clients: Reloadable<ClientDirectory>
    private let assertions: ClientAssertionCheck
    private let refusals: RefusalLog
    private let limiter: any RateLimiter
    private let limits: LimitSettings

    /// - Parameter audiences: what an assertion's `aud` may be.
    package init(
        clients: Reloadable<ClientDirectory>, audiences: Set<String>,
        keys: any ClientKeySource = RegisteredClientKeys(), replays: any ReplayGuard, refusals: RefusalLog,
        limiter: any RateLimiter, limits: LimitSettings
    ) {
        self.clients = clients
        assertions = ClientAssertionCheck(audiences: audiences, keys: keys, replays: replays)
        self.refusals = refusals
        self.limiter = limiter
        self.limits = limits
    }

    /// - Throws: ``ClientRefused`` when the client is not believed; `slow_down` when its network failed too often.
    package func authenticate(
        _ credentials: ClientCredentials, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Client {
        let client = credentials.clientID.flatMap { clients.current[ClientID(rawValue: $0)] }
        let flaw: String?
        if let client {
            flaw = try await self.flaw(of: credentials.proof, by: client, origin: origin, at: now)
        } else {
            flaw = credentials.clientID == nil ? "missing_client_id" : "unknown_client"
        }
        if let client, flaw == nil { return client }
        switch try await limiter.take(limits.failedClientKeys(origin: origin), at: now) {
        case .allowed:
            try await refusals.clientRefused(
                flaw ?? "unknown_client", clientID: client?.id, origin: origin, at: now)
        case .exceeded(let wait, let scope):
            try await refusals.limitExceeded(scope: scope, clientID: client?.id, origin: origin, at: now)
            throw OAuthError(
                .slowDown, "too many failed client authentications", detail: scope,
                retryAfter: wait.roundedUpSeconds)
        }
        let usedBasic = if case .basic = credentials.proof { true } else { false }
        throw ClientRefused(
            error: OAuthError(.invalidClient, "client authentication failed", detail: flaw), usedBasic: usedBasic)
    }

    /// - Returns: why the proof is none; `nil` when it is one.
    private func flaw(
        of proof: ClientCredentials.Proof, by client: Client, origin: RequestOrigin, at now: Timestamp
    ) async throws -> String? {
        switch (client.authenticationMethod, proof) {
        // A public client that sends a secret believes in a protection that is none (RFC 8252 §8.5).
        case (.none, .none): nil
        case (.clientSecretBasic, .basic(let secret)), (.clientSecretBasic, .post(let secret)),
            (.clientSecretPost, .basic(let secret)), (.clientSecretPost, .post(let secret)):
            Self.matches(secret, client.secretDigest) ? nil : "wrong_secret"
        case (.privateKeyJWT, .assertion(let assertion)):
            try await assertions.flaw(of: assertion, by: client, at: now)
        case (_, .none): "missing_proof"
        default: "wrong_method"
        }
    }

    private static func matches(_ secret: Secret<String>, _ digest: String?) -> Bool {
        guard let digest, let secret = OpaqueSecret(secret.expose(), kind: .clientSecret) else { return false }
        return ConstantTime.equals(bytes: Array(secret.digest.utf8), Array(digest.utf8))
    }
}
