import Crypto
import OAuth2

/// Writes down what is odd about authorization requests that are good by the rules.
package struct AuthorizationWatch: Sendable {
    /// How long a code challenge and a nonce are remembered (RFC 9700 §2.1.1).
    package static let memory = Duration.seconds(86_400)

    private let limiter: any RateLimiter
    private let audit: any AuditLog

    /// - Parameter limiter: remembers what was seen; one that is never lifted.
    package init(limiter: any RateLimiter, audit: any AuditLog) {
        self.limiter = limiter
        self.audit = audit
    }

    /// A request from the web view of an app (RFC 8252 §8.12); at most ten a minute of one network.
    func embedded(_ request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp) async throws {
        let who = origin.address?.limitNetwork.description ?? "local"
        let key = RateLimitKey(scope: "audit.embedded_browser", value: who, bucket: TokenBucket(perMinute: 10))
        guard case .allowed = try await limiter.take([key], at: now) else { return }
        try await audit.append([
            AuditEvent(
                at: now, type: .authorizationRequestEmbedded,
                outcome: request.client.blocksWebViews ? .failure : .success, clientID: request.client.id,
                origin: origin)
        ])
    }

    /// Notes a request that gets its code.
    /// - Returns: the parameter whose value the client has sent before; `nil` for a fresh request.
    func reused(_ request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp) async throws -> String? {
        for (name, value) in [("code_challenge", request.codeChallenge?.value), ("nonce", request.nonce)] {
            guard let value, try await !isFresh(name, value, of: request.client.id, at: now) else { continue }
            try await audit.append([
                AuditEvent(
                    at: now, type: .authorizationRequestReused,
                    outcome: request.client.rejectsReusedChallenge ? .failure : .success, reason: name,
                    clientID: request.client.id, origin: origin)
            ])
            return name
        }
        return nil
    }

    /// A bucket of one token that takes a day to come back says whether a value is new, and forgets by itself.
    private func isFresh(
        _ name: String, _ value: String, of client: ClientID, at now: Timestamp
    ) async throws -> Bool {
        let digest = Base64URL.encode(Array(SHA256.hash(data: Array("\(client.rawValue) \(value)".utf8))))
        let key = RateLimitKey(
            scope: "authorization.\(name)", value: digest,
            bucket: TokenBucket(burst: 1, refillInterval: Self.memory))
        if case .allowed = try await limiter.take([key], at: now) { return true }
        return false
    }
}
