package import Bridge
import Hummingbird
import OAuth2

/// Turns a request into the identity of its bearer, and records who was turned away.
package struct BearerGate: Sendable {
    private let authenticator: any BearerAuthenticator
    private let limiter: any RateLimiter
    private let limits: LimitSettings
    private let refusals: RefusalLog
    private let time: TimeSource

    package init(
        authenticator: any BearerAuthenticator, limiter: any RateLimiter, limits: LimitSettings,
        refusals: RefusalLog, time: TimeSource = .system
    ) {
        self.authenticator = authenticator
        self.limiter = limiter
        self.limits = limits
        self.refusals = refusals
        self.time = time
    }

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

    // Over the limit the answer stays the same, so that one bad client behind a shared address takes nothing from the
    // others; only the audit log stops growing with every try.
    private func record(_ refusal: BearerRefusal, origin: RequestOrigin, at now: Timestamp) async throws {
        switch try await limiter.take(limits.refusedBearerKeys(origin: origin), at: now) {
        case .allowed: try await refusals.bearerRefused(refusal, origin: origin, at: now)
        case .exceeded(_, let scope): try await refusals.limitExceeded(scope: scope, origin: origin, at: now)
        }
    }
}
