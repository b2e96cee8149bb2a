import OAuth2

/// Writes down what was refused and why: the outside is told one bland thing, the audit log the reason.
package struct RefusalLog: Sendable {
    private let audit: any AuditLog
    private let limiter: any RateLimiter

    package init(audit: any AuditLog, limiter: any RateLimiter) {
        self.audit = audit
        self.limiter = limiter
    }

    /// An issue that was refused to a verified bearer.
    func issueRefused(
        _ error: OAuthError, bearer: BearerIdentity, request: LoginTokenIssueRequest, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        if error.code == .rateLimited {
            return try await limitExceeded(
                scope: error.detail ?? "issue", subject: bearer.subject, clientID: bearer.clientID, origin: origin,
                at: now)
        }
        let isRedirect = error.code == .invalidRedirect
        try await audit.append([
            AuditEvent(
                at: now, type: isRedirect ? .redirectRefused : .loginTokenRefused, outcome: .failure,
                reason: error.detail ?? error.code.rawValue, subject: bearer.subject, clientID: bearer.clientID,
                targetClientID: nil, sessionID: bearer.sessionID, origin: origin,
                detail: isRedirect ? request.redirect.map(RefusedRedirect.detail) : #"{"at":"issue"}"#)
        ])
    }

    /// A bearer that was refused.
    /// - Parameter reason: a ``BearerRefusal`` or a `DPoPFlaw`, raw.
    package func bearerRefused(reason: String, origin: RequestOrigin, at now: Timestamp) async throws {
        try await audit.append([
            AuditEvent(at: now, type: .bearerRefused, outcome: .failure, reason: reason, origin: origin)
        ])
    }

    /// A client that was not believed.
    func clientRefused(_ reason: String, clientID: ClientID?, origin: RequestOrigin, at now: Timestamp) async throws {
        try await audit.append([
            AuditEvent(
                at: now, type: .clientAuthenticationFailed, outcome: .failure, reason: reason, clientID: clientID,
                origin: origin)
        ])
    }

    /// A token request that was refused.
    /// - Parameter clientID: `nil` where it was refused before its client was known.
    func tokenRequestRefused(
        _ error: OAuthError, clientID: ClientID?, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await audit.append([
            AuditEvent(
                at: now, type: .tokenRequestRefused, outcome: .failure, reason: error.detail ?? error.code.rawValue,
                clientID: clientID, origin: origin)
        ])
    }

    /// Cookies that were not renewed for whoever asked; at most ten a minute of one network.
    func sessionRefreshRefused(_ flaw: CookieDeliveryFlaw, origin: RequestOrigin, at now: Timestamp) async throws {
        let who = origin.address?.limitNetwork.description ?? "local"
        let key = RateLimitKey(scope: "audit.session_refresh", value: who, bucket: TokenBucket(perMinute: 10))
        guard case .allowed = try await limiter.take([key], at: now) else { return }
        try await audit.append([
            AuditEvent(at: now, type: .refreshTokenRefused, outcome: .failure, reason: flaw.rawValue, origin: origin)
        ])
    }

    /// Somebody who is no administrator; at most ten a minute of one network, and never for a request that presented
    /// nothing.
    package func adminRefused(_ refusal: AdminRefusal, origin: RequestOrigin, at now: Timestamp) async throws {
        guard refusal != .missing else { return }
        let who = origin.address?.limitNetwork.description ?? "local"
        let key = RateLimitKey(scope: "audit.admin", value: who, bucket: TokenBucket(perMinute: 10))
        guard case .allowed = try await limiter.take([key], at: now) else { return }
        try await audit.append([
            AuditEvent(at: now, type: .adminRefused, outcome: .failure, reason: refusal.rawValue, origin: origin)
        ])
    }

    /// A limit that was hit. Written at most once a minute for each network and scope: whoever is over a limit must
    /// not be able to fill the log instead.
    package func limitExceeded(
        scope: String, subject: Subject? = nil, clientID: ClientID? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        let who = origin.address?.limitNetwork.description ?? "local"
        let key = RateLimitKey(
            scope: "audit.\(scope)", value: "\(who) \(subject?.rawValue ?? "")", bucket: TokenBucket(perMinute: 1))
        guard case .allowed = try await limiter.take([key], at: now) else { return }
        try await audit.append([
            AuditEvent(
                at: now, type: .rateLimitExceeded, outcome: .failure, reason: scope, subject: subject,
                clientID: clientID, origin: origin)
        ])
    }
}
