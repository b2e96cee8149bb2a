import Crypto
import OAuth2

/// Redeems login tokens (contract §4): verifies, decides, consumes once, opens a new session.
package struct LoginTokenRedeemer: Sendable {
    /// A repeat this soon from the same browser is a double tap whose cookie is still on its way.
    private static let doubleTapWindow = Duration.seconds(3)
    /// Wrong verifiers and bindings that a token survives, less one.
    private static let missLimit = 5

    private let settings: LoginTokenSettings
    private let codec: LoginTokenCodec
    private let clients: Reloadable<ClientDirectory>
    private let subjects: Subjects
    private let parents: ParentSessions
    private let store: any LoginTokenStore
    private let sessions: WebSessions
    private let endings: SessionEndings
    private let replayGuard: any ReplayGuard
    private let refusals: RedemptionRefusals
    private let time: TimeSource
    private let random: RandomSource
    private let retries: ShortLivedSeal
    private let undecided = UndecidedServerRedemptions()

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

extension LoginTokenRedeemer {
    /// What is known of a token that the guard has seen before, or that is about to be asked about.
    /// - Returns: `nil` while it is unused.
    func outcomeOfKnownState(_ redemption: Redemption) async throws -> RedemptionOutcome? {
        switch try await store.state(of: redemption.claims.id)?.status {
        case .redeemed(let use): try await repeated(redemption, use: use)
        case .revoked:
            try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        case .pending, nil: nil
        }
    }

    /// Consumes the token and opens the session, in one transaction; the store says who was first.
    func open(_ redemption: Redemption, replacing current: [WebSession]) async throws -> RedemptionOutcome {
        let opened = redemption.session(random: random)
        let use = LoginTokenUse(
            at: redemption.at, sessionID: opened.session.id, address: redemption.origin.address?.description,
            userAgentDigest: Self.userAgentMark(of: redemption))
        switch try await redeem(redemption, opening: opened, use: use, replacing: current) {
        case .opened: return await landed(redemption, opened, replacing: current)
        // This very attempt, whose first answer was lost.
        case .alreadyUsed(let first) where first.sessionID == opened.session.id:
            return await landed(redemption, opened, replacing: current)
        case .alreadyUsed(let first): return try await repeated(redemption, use: first)
        case .revoked:
            return try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        }
    }

    /// Asks once more when the answer to a commit was lost: what is stored by then says whether it was made, and if not,
    /// it is made now. What cannot be found out is left to the browser's next try.
    private func redeem(
        _ redemption: Redemption, opening opened: OpenedSession, use: LoginTokenUse, replacing current: [WebSession]
    ) async throws -> LoginTokenRedeemOutcome {
        func attempt() async throws -> LoginTokenRedeemOutcome {
            try await store.redeem(
                redemption.claims.issued, opening: opened.session, use: use,
                replacing: current.map {
                    ReplacedSession($0, by: redemption.claims.subject, origin: redemption.origin, at: redemption.at)
                },
                events: redemption.events(opening: opened.session))
        }
        do {
            do {
                return try await attempt()
            } catch StorageError.undecided {
                return try await attempt()
            }
        } catch is StorageError {
            let retry = RedemptionRetry(opened, tokenID: redemption.claims.id)
            if redemption.isByServer { undecided.remember(opened, of: redemption.claims.id, at: redemption.at) }
            throw UndecidedRedemption(
                retry: Secret(try retries.seal(retry.text, lifetime: RedemptionRetry.lifetime)))
        }
    }

    private func landed(
        _ redemption: Redemption, _ opened: OpenedSession, replacing current: [WebSession]
    ) async -> RedemptionOutcome {
        await sessions.forget(current.map(\.id))
        sessions.remember(opened.session)
        return .landed(location: redemption.landing.location, opened: opened)
    }

    /// A second use. A double tap is let through without opening anything; anything else is a replay, which ends what
    /// the first use opened: one of the two was not the user, and it cannot be told which.
    ///
    /// A website's server looks the same whoever sent it the token, so neither its use nor one after it is a double tap.
    private func repeated(_ redemption: Redemption, use: LoginTokenUse) async throws -> RedemptionOutcome {
        if isDoubleTap(redemption, after: use) {
            try await refusals.recordRepeat(
                redemption.event(.loginTokenRepeated, .success, sessionID: use.sessionID), of: redemption.claims.id)
            return .landed(location: redemption.landing.location, opened: nil)
        }
        let ending = Ending(at: redemption.at, reason: "token_replayed", origin: redemption.origin)
        let replay = redemption.event(.loginTokenReplayed, .failure, reason: "replayed", sessionID: use.sessionID)
        let ended = try await store.recordReplay(
            of: redemption.claims.id, replay: replay,
            ending: redemption.website.replayResponse == .endSession ? ending : nil,
            alwaysTells: try await refusals.admits(replay, about: redemption.claims.id))
        await endings.take(in: ended)
        return try await refusals.count(origin: redemption.origin, at: redemption.at)
    }

    /// A tap soon after by the same browser, whose cookie is still on its way: from the same network, or from the other
    /// address family, between which phones flip.
    private func isDoubleTap(_ redemption: Redemption, after use: LoginTokenUse) -> Bool {
        guard !redemption.isByServer, redemption.at - use.at <= Self.doubleTapWindow,
            use.userAgentDigest == Self.userAgentMark(of: redemption)
        else { return false }
        guard let first = use.address.flatMap({ NetworkAddress($0) }), let second = redemption.origin.address else {
            return use.address == redemption.origin.address?.description
        }
        return first.family != second.family || first.limitNetwork.contains(second)
    }

    private static func userAgentMark(of redemption: Redemption) -> String? {
        guard !redemption.isByServer else { return LoginTokenUse.serverMark }
        return redemption.origin.userAgent.map { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
    }
}

/// A website's server that redeems a login token itself (contract §4.4).
package struct BackChannelRedemption: Sendable {
    package let token: Secret<String>
    /// The authenticated client.
    package let website: Client
    package let codeVerifier: String?
    package let origin: RequestOrigin

    package init(token: Secret<String>, website: Client, codeVerifier: String?, origin: RequestOrigin) {
        self.token = token
        self.website = website
        self.codeVerifier = codeVerifier
        self.origin = origin
    }
}

extension LoginTokenRedeemer {
    /// Redeems for the website's server. Single use is shared with browsers: a second use, by whichever way, ends what
    /// the first one opened.
    /// - Throws: `invalid_grant` for every refusal; `rate_limited`; ``StorageError``.
    package func redeem(_ request: BackChannelRedemption) async throws -> WebSession {
        let now = time.now()
        let origin = request.origin
        let claims: LoginTokenClaims
        switch try await codec.verify(request.token, at: now) {
        case .refused(let flaw):
            return try await refuse(
                try await refusals.refuse(RedemptionRefusal(flaw), origin: origin, at: now))
        case .expired(let expired):
            return try await refuse(try await refusals.refuse(.expired, claims: expired, origin: origin, at: now))
        case .verified(let verified): claims = verified
        }
        // Before anything else: another website's token is none of this one's business, and stays good.
        guard claims.audience == request.website.id, request.website.kind == .web else {
            return try await refuse(
                try await refusals.refuse(.unknownWebsite, claims: claims, origin: origin, at: now))
        }
        let directory = clients.current
        guard let app = directory[claims.clientID], app.canIssueLoginTokens, app.mayReach.contains(request.website.id)
        else {
            return try await refuse(
                try await refusals.refuse(.clientWithoutRight, claims: claims, origin: origin, at: now))
        }
        if let flaw = BindingCheck.failure(
            of: claims.binding, verifier: request.codeVerifier, address: origin.address)
        {
            return try await refuse(try await miss(flaw, claims: claims, origin: origin, at: now))
        }
        if let known = undecided.session(of: claims.id, at: now),
            case .redeemed(let use) = try await store.state(of: claims.id)?.status,
            use.sessionID == known.session.id
        {
            undecided.forget(claims.id)
            return known.session
        }
        let issuing: IssuingSession
        switch try await standing(of: claims, at: now) {
        case .success(let session): issuing = session
        case .failure(let flaw):
            return try await refuse(try await refusals.refuse(flaw, claims: claims, origin: origin, at: now))
        }
        // A website that only takes tokens by its back channel needs no path to land on.
        let landing =
            Landing.decide(.absent, sealed: claims.target, website: request.website, ownOrigin: settings.publicOrigin)
            ?? Landing(location: settings.publicOrigin.description + "/", refusal: nil)
        let redemption = Redemption(
            claims: claims, issuing: issuing, website: request.website, landing: landing, origin: origin, at: now,
            isByServer: true)
        if try await replayGuard.claim(claims.id, until: claims.expiresAt, at: now) == .claimedBefore,
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return try await refuse(outcome)
        }
        let outcome = try await open(redemption, replacing: [])
        guard case .landed(_, .some(let opened)) = outcome else { return try await refuse(outcome) }
        return opened.session
    }

    /// Nothing but "no": the reasons are in the audit log.
    private func refuse(_ outcome: RedemptionOutcome) async throws -> WebSession {
        if case .limited(let wait) = outcome {
            throw OAuthError(
                .rateLimited, "Too many login tokens were refused.", detail: "redeem.network",
                retryAfter: wait.roundedUpSeconds)
        }
        throw OAuthError(.invalidGrant, "The login token is not valid.", detail: "login_token_refused")
    }
}
