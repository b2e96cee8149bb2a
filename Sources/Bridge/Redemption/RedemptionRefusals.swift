/// Refuses redemptions: the reason to the audit log, a count against the network, one answer outside.
package struct RedemptionRefusals: Sendable {
    private let audit: any AuditLog
    private let limiter: any RateLimiter
    private let limits: LimitSettings
    private let log: RefusalLog

    package init(audit: any AuditLog, limiter: any RateLimiter, limits: LimitSettings, log: RefusalLog) {
        self.audit = audit
        self.limiter = limiter
        self.limits = limits
        self.log = log
    }

    /// Records the reason and gives the refusal page, or the limit once the network is over it.
    func refuse(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        let outcome = try await count(origin: origin, at: now)
        // Past the limit only the limit itself is recorded, or the log would be the attacker's to fill. A token whose
        // signature holds cannot be made up in numbers, so what befalls it is always recorded.
        if case .limited = outcome, claims == nil { return outcome }
        try await audit.append([Self.event(refusal, claims: claims, origin: origin, at: now)])
        return outcome
    }

    /// Counts a refusal that is recorded already.
    func count(origin: RequestOrigin, at now: Timestamp) async throws -> RedemptionOutcome {
        guard
            case .exceeded(let wait, let scope) = try await limiter.take(
                limits.failedRedemptionKeys(origin: origin), at: now)
        else { return .refused }
        try await log.limitExceeded(scope: scope, origin: origin, at: now)
        return .limited(retryAfter: wait)
    }

    /// Records a double tap.
    func recordRepeat(_ event: AuditEvent, at now: Timestamp) async throws {
        try await audit.append([event])
    }

    static func event(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims?, origin: RequestOrigin, at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now, type: .loginTokenRefused, outcome: .failure, reason: refusal.rawValue, subject: claims?.subject,
            clientID: claims?.clientID, targetClientID: claims?.audience, sessionID: claims?.sessionID,
            tokenID: claims?.id, origin: origin)
    }
}
