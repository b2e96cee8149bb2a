/// What sign-ins across devices write to the audit log, and how often they may be tried.
package final class CrossDeviceLog: Sendable {
    private let audit: any AuditLog
    private let refusals: RefusalLog
    let limiter: any RateLimiter
    let gate: LimitGate
    let limits: LimitSettings

    package init(audit: any AuditLog, refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings) {
        self.audit = audit
        self.refusals = refusals
        self.limiter = limiter
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
    }

    /// Says what the user of a phone did.
    func record(
        _ type: AuditEventType, by phone: ApprovingPhone, detail: String? = nil, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        try await audit.append([
            AuditEvent(
                at: now, type: type, outcome: .success, subject: phone.subject, clientID: phone.clientID,
                sessionID: phone.sessionID, origin: origin, detail: detail)
        ])
    }

    /// Records a refusal, in bounds.
    func recordRefusal(
        _ reason: RefusalReason, of phone: ApprovingPhone?, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await recordRefusal(
            reason.rawValue, phone?.subject, phone?.clientID, phone?.sessionID, origin: origin, at: now)
    }

    /// Records, in bounds, the refusal of a step that the sign-in itself rules out.
    func recordRefusal(
        _ refusal: PhoneSignIn.Refusal, of phone: ApprovingPhone, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await recordRefusal(
            refusal.rawValue, phone.subject, phone.clientID, phone.sessionID, origin: origin, at: now)
    }

    /// Records a refusal, in bounds, where no phone is known.
    /// - Parameter isByAnybody: as ``RefusalLog/record(_:byAnybody:within:)`` has it.
    func recordRefusal(
        _ reason: RefusalReason, subject: Subject?, byAnybody isByAnybody: Bool, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        try await recordRefusal(
            reason.rawValue, subject, nil, nil, byAnybody: isByAnybody, origin: origin, at: now)
    }

    private func recordRefusal(
        _ reason: String, _ subject: Subject?, _ clientID: ClientID?, _ sessionID: SessionID?,
        byAnybody isByAnybody: Bool = false, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await refusals.record(
            AuditEvent(
                at: now, type: .crossDeviceRefused, outcome: .failure, reason: reason, subject: subject,
                clientID: clientID, sessionID: sessionID, origin: origin),
            byAnybody: isByAnybody)
    }

    /// Whether the computer was reported a while ago.
    /// - Returns: how long it is kept out.
    func blocked(_ origin: RequestOrigin, at now: Timestamp) async throws -> Duration? {
        try await gate.peek(LimitSettings.reportedKeys(origin.address), origin: origin, at: now).retryAfter
    }

    /// Keeps a computer that was reported from beginning another sign-in.
    func block(_ address: NetworkAddress?, at now: Timestamp) async throws {
        _ = try await limiter.take(LimitSettings.reportedKeys(address), at: now)
    }
}
