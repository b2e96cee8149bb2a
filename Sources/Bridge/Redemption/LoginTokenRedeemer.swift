/// Redeems login tokens (contract §4): verifies, decides, consumes once, opens a new session.
package struct LoginTokenRedeemer: Sendable {
    /// A repeat this soon from the same browser is a double tap whose cookie is still on its way.
    static let doubleTapWindow = Duration.seconds(3)
    /// Wrong verifiers and bindings that a token survives, less one.
    static let missLimit = 5

    let settings: LoginTokenSettings
    let codec: LoginTokenCodec
    let clients: Reloadable<ClientDirectory>
    let subjects: Subjects
    let parents: ParentSessions
    let store: any LoginTokenStore
    let sessions: WebSessions
    let replayGuard: any ReplayGuard
    let refusals: RedemptionRefusals
    let time: TimeSource
    let random: RandomSource

    package init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>,
        subjects: Subjects, parents: ParentSessions, store: any LoginTokenStore, sessions: WebSessions,
        replayGuard: any ReplayGuard, refusals: RedemptionRefusals, time: TimeSource = .system,
        random: RandomSource = .system
    ) {
        self.settings = settings
        self.codec = codec
        self.clients = clients
        self.subjects = subjects
        self.parents = parents
        self.store = store
        self.sessions = sessions
        self.replayGuard = replayGuard
        self.refusals = refusals
        self.time = time
        self.random = random
    }

    /// Answers one request.
    /// - Throws: ``StorageError`` when a store cannot decide; nothing is consumed then, or it is not known to be.
    package func redeem(_ request: RedemptionRequest) async throws -> RedemptionOutcome {
        let now = time.now()
        let token: Secret<String>
        switch request.token {
        case .conflicting: return try await refusals.refuse(.conflictingTokens, origin: request.origin, at: now)
        case .none where request.visit.carrier == .form:
            return try await refusals.refuse(.missing, origin: request.origin, at: now)
        case .none:
            guard case .confirm(let submitsItself) = VisitDecision.decide(request.visit, mode: .direct) else {
                return try await refusals.refuse(.missing, origin: request.origin, at: now)
            }
            return .confirm(submitsItself: submitsItself)
        case .one(let presented): token = presented
        }
        let verification = codec.verify(token, at: now)
        let mode =
            if case .verified(let claims) = verification {
                clients.current[claims.audience]?.redeemMode ?? .direct
            } else {
                Client.RedeemMode.direct
            }
        if case .confirm(let submitsItself) = VisitDecision.decide(request.visit, mode: mode) {
            return .confirm(submitsItself: submitsItself)
        }
        switch verification {
        case .refused(let flaw):
            return try await refusals.refuse(RedemptionRefusal(flaw), origin: request.origin, at: now)
        case .expired(let claims):
            return try await refusals.refuse(.expired, claims: claims, origin: request.origin, at: now)
        case .verified(let claims):
            return try await consume(claims, request: request, at: now)
        }
    }

    private func consume(
        _ claims: LoginTokenClaims, request: RedemptionRequest, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        let directory = clients.current
        guard let website = directory[claims.audience], website.kind == .web,
            let landing = Landing.decide(
                request.redirect, sealed: claims.target, website: website, ownOrigin: settings.publicOrigin)
        else { return try await refusals.refuse(.unknownWebsite, claims: claims, origin: request.origin, at: now) }
        guard let app = directory[claims.clientID], app.canIssueLoginTokens, app.mayReach.contains(website.id) else {
            return try await refusals.refuse(.clientWithoutRight, claims: claims, origin: request.origin, at: now)
        }
        let current: WebSession? =
            if let secret = request.sessionSecret { try await sessions.lookUp(secret) } else { nil }
        if let current, current.loginTokenID == claims.id {
            return .landed(location: landing.location, opened: nil)
        }
        if let refusal = BindingCheck.failure(
            of: claims.binding, verifier: request.codeVerifier, address: request.origin.address)
        {
            return try await miss(refusal, claims: claims, origin: request.origin, at: now)
        }
        if let refusal = try await standingRefusal(of: claims, at: now) {
            return try await refusals.refuse(refusal, claims: claims, origin: request.origin, at: now)
        }
        let redemption = Redemption(claims: claims, website: website, landing: landing, origin: request.origin, at: now)
        if let current, asksFirst(request, current, claims) {
            // Asking consumes nothing, so it must not claim the token either.
            if let outcome = try await outcomeOfKnownState(redemption) { return outcome }
            return .switchAccount(current: current.subject, proposed: claims.subject)
        }
        if try await replayGuard.claim(claims.id, until: claims.expiresAt, at: now) == .claimedBefore,
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }
        return try await open(redemption, replacing: current)
    }

    /// Whether the browser's user must be asked: another user is signed in, and has not said yes in a form of ours.
    private func asksFirst(_ request: RedemptionRequest, _ current: WebSession?, _ claims: LoginTokenClaims) -> Bool {
        guard let current, current.subject != claims.subject else { return false }
        return !(request.confirmsSwitch && request.visit.formIsOurs)
    }

    func standingRefusal(of claims: LoginTokenClaims, at now: Timestamp) async throws -> RedemptionRefusal? {
        if try await subjects.isDisabled(claims.subject, at: now) { return .subjectDisabled }
        return switch try await parents.standing(of: claims.sessionID, at: now) {
        case .foreign, .app: nil
        case .fromLoginToken, .ended: .parentSessionEnded
        }
    }

    func miss(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims, origin: RequestOrigin, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        let event = RedemptionRefusals.event(refusal, claims: claims, origin: origin, at: now)
        _ = try await store.recordMiss(
            claims.issued, at: now, limit: Self.missLimit, event: event,
            alwaysTells: try await refusals.admits(event, about: claims.id))
        return try await refusals.count(origin: origin, at: now)
    }
}
