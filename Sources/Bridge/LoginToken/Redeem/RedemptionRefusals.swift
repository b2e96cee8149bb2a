/// Refuses redemptions: the reason to the audit log, a count against the network and, where it was a miss, against the
/// token, and one answer outside.
package final class RedemptionRefusals: Sendable {
    /// The miss, by a wrong verifier, code or binding, with which the token is gone.
    private static let missLimit = LimitSettings.typedCodeTries

    private let store: any LoginTokenStore
    private let limiter: any RateLimiter
    private let gate: LimitGate
    private let limits: LimitSettings
    private let log: RefusalLog

    package init(store: any LoginTokenStore, limiter: any RateLimiter, limits: LimitSettings, log: RefusalLog) {
        self.store = store
        self.limiter = limiter
        gate = LimitGate(limiter, refusals: log)
        self.limits = limits
        self.log = log
    }

    /// Refuses at the cost of the check that said no.
    func refuse(
        _ refusal: RedemptionRefusal, _ cost: RedemptionCheck.Cost, _ candidate: RedemptionCandidate
    ) async throws -> RedemptionOutcome {
        let (claims, origin, now) = (candidate.claims, candidate.origin, candidate.at)
        switch cost {
        case .counts:
            return try await refuse(
                refusal, claims: claims, presentedBy: candidate.otherPresenter, origin: origin, at: now)
        case .misses:
            _ = try await recordMiss(refusal, candidate)
            return try await count(origin: origin, at: now)
        case .leaves:
            try await recordUnused(refusal, candidate)
            return .refused
        }
    }

    /// A wrong code may be typed again, for as long as the token survives that.
    func missCode(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome {
        let isLast = try await recordMiss(.wrongCode, candidate) >= Self.missLimit
        let outcome = try await count(origin: candidate.origin, at: candidate.at)
        guard case .refused = outcome, !isLast else { return outcome }
        return .confirm(submitsItself: false, code: .wrong)
    }

    /// - Returns: how many there were of this token by now.
    private func recordMiss(_ refusal: RedemptionRefusal, _ candidate: RedemptionCandidate) async throws -> Int {
        let (claims, now) = (candidate.claims, candidate.at)
        let event = Self.event(refusal, candidate)
        let isTold = try await admits(event, about: claims.id)
        let misses = try await store.recordMiss(
            claims.issued, at: now, limit: Self.missLimit, event: event, tells: isTold)
        if !isTold { countLeftOut(event) }
        return misses
    }

    /// Records the reason and gives the refusal page, or the limit once the network is over it.
    /// - Parameter presenter: the client that brought the token, where it is another's.
    func refuse(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims? = nil, presentedBy presenter: ClientID? = nil,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        let outcome = try await count(origin: origin, at: now)
        let event = Self.event(refusal, claims: claims, presentedBy: presenter, origin: origin, at: now)
        if let claims {
            // What happens to a token whose signature holds is recorded whatever else this network sent; but it can
            // come again for as long as its key is known.
            try await log.record(event, within: .repeats(of: claims.id.rawValue))
        } else if case .refused = outcome {
            // Past the limit only the limit itself is recorded, or the log would be the attacker's to fill.
            try await log.record(event)
        }
        return outcome
    }

    /// Whether an event about a token that came again is to be written, where it comes with nothing else; if it then is
    /// not, see ``countLeftOut(_:)``.
    func admits(_ event: AuditEvent, about id: TokenID) async throws -> Bool {
        try await log.admits(event, within: [.repeats(of: id.rawValue)])
    }

    /// Counts an event that was not admitted, and that nothing else had written.
    func countLeftOut(_ event: AuditEvent) { log.countLeftOut(event) }

    func takeTry(of id: TokenID, at now: Timestamp) async throws -> RateLimitDecision {
        try await limiter.take(limits.typedCodeKeys(of: id), at: now)
    }

    /// Counts a refusal that is recorded already.
    func count(origin: RequestOrigin, at now: Timestamp) async throws -> RedemptionOutcome {
        let decision = try await gate.take(limits.failedRedemptionKeys(origin: origin), origin: origin, at: now)
        return decision.retryAfter.map { .limited(retryAfter: $0) } ?? .refused
    }

    /// Writes down that what was shown is not a login token; it counts against no one.
    func recordUnread(_ refusal: RedemptionRefusal, origin: RequestOrigin, at now: Timestamp) async throws {
        try await log.record(
            Self.event(refusal, claims: nil, origin: origin, at: now),
            within: .network("audit.login_token_unread", of: origin, perMinute: 10))
    }

    /// Records why a good token was left alone; that is not a failure, so nothing is counted.
    private func recordUnused(_ refusal: RedemptionRefusal, _ candidate: RedemptionCandidate) async throws {
        try await log.record(
            Self.event(refusal, candidate), within: .repeats(of: candidate.claims.id.rawValue))
    }

    /// Records a double tap, or the bad redirect of a link that was opened before.
    func recordRepeat(_ event: AuditEvent, of id: TokenID) async throws {
        try await log.record(event, within: .repeats(of: id.rawValue))
    }

    private static func event(_ refusal: RedemptionRefusal, _ candidate: RedemptionCandidate) -> AuditEvent {
        event(
            refusal, claims: candidate.claims, presentedBy: candidate.otherPresenter, origin: candidate.origin,
            at: candidate.at)
    }

    private static func event(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims?, presentedBy presenter: ClientID? = nil,
        origin: RequestOrigin, at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now, type: .loginTokenRefused, outcome: .failure, reason: refusal.rawValue, subject: claims?.subject,
            clientID: claims?.clientID, targetClientID: claims?.audience, sessionID: claims?.sessionID,
            tokenID: claims?.id, origin: origin, detail: presenter.map(AuditDetail.by))
    }
}

extension LoginTokenStore {
    /// Why a token whose every other condition holds is refused; `nil` while it is unused.
    func refusalOfUse(of id: TokenID) async throws -> RedemptionRefusal? {
        switch try await state(of: id)?.status {
        case .redeemed: .replayed
        case .revoked: .revoked
        case .pending, nil: nil
        }
    }
}

/// Why a token was refused: the reason in the audit log; outside there is one page for all (contract §4.3).
package enum RedemptionRefusal: String, Error, Sendable, CaseIterable {
    case conflictingTokens = "conflicting_tokens"
    case missing
    case malformed
    case wrongAlgorithm = "wrong_algorithm"
    case unknownKey = "unknown_key"
    case badSignature = "bad_signature"
    case wrongIssuer = "wrong_issuer"
    case expired
    case revoked
    case unknownWebsite = "unknown_website"
    /// A link to it has nowhere to land: a relying party takes the token with its own request, or by its server.
    case noReturnPaths = "no_return_paths"
    case clientWithoutRight = "client_without_right"
    case wrongVerifier = "wrong_verifier"
    case wrongNetwork = "wrong_network"
    /// The website wants the code that the app shows, and none came.
    case codeMissing = "code_missing"
    case wrongCode = "wrong_code"
    case subjectDisabled = "subject_disabled"
    case parentSessionEnded = "parent_session_ended"
    /// An app whose sign-in the issuing session came by through an exchange may not open the website.
    case targetNotReachableAbove = "target_not_reachable_above"
    /// The website has come to want a stronger or newer sign-in since the token was issued.
    case authenticationTooWeak = "authentication_too_weak"
    /// Another client brought it, by its server or with an authorization request.
    case wrongWebsite = "wrong_website"
    /// A token that is bound to its browser, where nothing can show that.
    case boundToken = "bound_token"
    /// Its website wants a click, which an authorization request is not.
    case confirmationNeeded = "confirmation_needed"
    /// The request wants another sign-in than the token stands for.
    case signInDemanded = "sign_in_demanded"
    /// The request would have to ask for consent, and must not show a page.
    case consentDemanded = "consent_demanded"
    case replayed

    init(_ flaw: LoginTokenRefusal) {
        self =
            switch flaw {
            case .malformed: .malformed
            case .wrongAlgorithm: .wrongAlgorithm
            case .unknownKey: .unknownKey
            case .badSignature: .badSignature
            case .wrongIssuer: .wrongIssuer
            }
    }
}
