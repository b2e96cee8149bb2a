package import Bridge
import Hummingbird
import OAuth2

/// Turns a request into the identity of its bearer, and records who was turned away.
package struct BearerGate: Sendable {
    let authenticator: any BearerAuthenticator
    let audit: any AuditLog
    let limiter: any RateLimiter
    let time: TimeSource

    /// Refusals recorded a minute and network; beyond that a flood of bad tokens would fill the audit log's disk.
    private static let recorded = TokenBucket(perMinute: 60)

    /// - Throws: `OAuthError(.invalidToken)`, with a bare challenge when there is no token; ``StorageError`` when it
    ///   cannot be found out now.
    func identity(of request: Request, origin: RequestOrigin) async throws -> BearerIdentity {
        let token = try BearerReader.token(in: request.headers)
        let now = time.now()
        do {
            return try await authenticator.authenticate(token, at: now)
        } catch let refusal as BearerRefusal {
            try await record(refusal, origin: origin, at: now)
            throw OAuthError(.invalidToken, detail: refusal.rawValue)
        }
    }

    private func record(_ refusal: BearerRefusal, origin: RequestOrigin, at now: Timestamp) async throws {
        let network = origin.address?.limitNetwork.description ?? "local"
        let key = RateLimitKey(scope: "bearer.refused", value: network, bucket: Self.recorded)
        guard try await limiter.take([key], at: now) == .allowed else { return }
        try await audit.append([
            AuditEvent(at: now, type: .bearerRefused, outcome: .failure, reason: refusal.rawValue, origin: origin)
        ])
    }
}
