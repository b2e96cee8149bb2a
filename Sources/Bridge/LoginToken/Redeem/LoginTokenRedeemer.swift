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
    let endings: SessionEndings
    let replayGuard: any ReplayGuard
    let refusals: RedemptionRefusals
    let time: TimeSource
    let random: RandomSource
    let retries: ShortLivedSeal
    let undecided = UndecidedServerRedemptions()

    package init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>,
        subjects: Subjects, parents: ParentSessions, store: any LoginTokenStore, sessions: WebSessions,
        endings: SessionEndings, replayGuard: any ReplayGuard, refusals: RedemptionRefusals,
        keys: Reloadable<LoginTokenKeyRing>,
        time: TimeSource = .system, random: RandomSource = .system
    ) {
        self.settings = settings
        self.codec = codec
        self.clients = clients
        self.subjects = subjects
        self.parents = parents
        self.store = store
        self.sessions = sessions
        self.endings = endings
        self.replayGuard = replayGuard
        self.refusals = refusals
        self.time = time
        self.random = random
        retries = ShortLivedSeal(keys: keys, purpose: "redemption retry", time: time)
    }

    /// Answers one request.
    /// - Throws: ``StorageError`` when a store cannot decide, and nothing is consumed; ``UndecidedRedemption`` when that
    ///   is not known.
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
        let verification = try await codec.verify(token, at: now)
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
            // What an attempt in time has opened is the browser's, however late it hears of it.
            if let retry = retry(of: request, for: claims), let landing = landing(of: claims, request),
                let outcome = try await outcome(of: retry, landing)
            {
                return outcome
            }
            return try await refusals.refuse(.expired, claims: claims, origin: request.origin, at: now)
        case .verified(let claims):
            return try await consume(claims, request: request, at: now)
        }
    }

    /// Where the website of a good token has its pages, when not here; touches no state.
    /// - Throws: ``StorageError`` when the token's key is unknown here and the database cannot say more.
    package func targetOrigin(of token: Secret<String>) async throws -> WebOrigin? {
        guard case .verified(let claims) = try await codec.verify(token, at: time.now()) else { return nil }
        return clients.current[claims.audience]?.publicOrigin
    }

    private func landing(of claims: LoginTokenClaims, _ request: RedemptionRequest) -> Landing? {
        guard let website = clients.current[claims.audience], website.kind == .web else { return nil }
        return Landing.decide(
            request.redirect, sealed: claims.target, website: website, ownOrigin: settings.publicOrigin)
    }

    /// The attempt of this browser with this token that could not be confirmed.
    private func retry(of request: RedemptionRequest, for claims: LoginTokenClaims) -> RedemptionRetry? {
        request.retry.flatMap { retries.open($0) }.flatMap { RedemptionRetry($0) }.flatMap {
            $0.tokenID == claims.id ? $0 : nil
        }
    }

    /// What came of an attempt that could not be confirmed; `nil` when it was not made.
    private func outcome(of retry: RedemptionRetry, _ landing: Landing) async throws -> RedemptionOutcome? {
        guard case .redeemed(let use) = try await store.state(of: retry.tokenID)?.status,
            use.sessionID == retry.sessionID, let session = try await sessions.lookUp(retry.secret)
        else { return nil }
        return .landed(
            location: landing.location, opened: OpenedSession(session: session, secret: retry.secret))
    }

    private func consume(
        _ claims: LoginTokenClaims, request: RedemptionRequest, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        let directory = clients.current
        guard let website = directory[claims.audience], let landing = landing(of: claims, request)
        else { return try await refusals.refuse(.unknownWebsite, claims: claims, origin: request.origin, at: now) }
        guard let app = directory[claims.clientID], app.canIssueLoginTokens, app.mayReach.contains(website.id) else {
            return try await refusals.refuse(.clientWithoutRight, claims: claims, origin: request.origin, at: now)
        }
        let current: WebSession? =
            if let secret = request.sessionSecret { try await sessions.lookUp(secret) } else { nil }
        if let current, current.loginTokenID == claims.id {
            return .landed(location: landing.location, opened: nil)
        }
        let retry = retry(of: request, for: claims)
        if let retry, let outcome = try await outcome(of: retry, landing) { return outcome }
        if let refusal = BindingCheck.failure(
            of: claims.binding, verifier: request.codeVerifier, address: request.origin.address)
        {
            return try await miss(refusal, claims: claims, origin: request.origin, at: now)
        }
        let issuing: IssuingSession
        switch try await standing(of: claims, at: now) {
        case .success(let session): issuing = session
        case .failure(let refusal):
            return try await refusals.refuse(refusal, claims: claims, origin: request.origin, at: now)
        }
        let redemption = Redemption(
            claims: claims, issuing: issuing, website: website, landing: landing, origin: request.origin, at: now,
            retry: retry)
        let others = ([current].compactMap(\.self) + request.tokenSessions).filter { $0.subject != claims.subject }
        if let other = others.first, !(request.confirmsSwitch && request.visit.formIsOurs) {
            // Asking consumes nothing, so it must not claim the token either.
            if let outcome = try await outcomeOfKnownState(redemption) { return outcome }
            return .switchAccount(current: other.subject, proposed: claims.subject)
        }
        if try await replayGuard.claim(claims.id, until: claims.expiresAt, at: now) == .claimedBefore,
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }
        let same = current.flatMap { $0.subject == claims.subject ? $0 : nil }
        return try await open(redemption, replacing: [same].compactMap(\.self) + others)
    }

    /// The session that the token was issued from, while that one and its user stand.
    func standing(
        of claims: LoginTokenClaims, at now: Timestamp
    ) async throws -> Result<IssuingSession, RedemptionRefusal> {
        if try await subjects.isDisabled(claims.subject, at: now) { return .failure(.subjectDisabled) }
        return switch try await parents.standing(of: claims, at: now) {
        case .mayIssue(let session): .success(session)
        case .chained, .ended: .failure(.parentSessionEnded)
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
