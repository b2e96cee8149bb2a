import Crypto
import OAuth2

/// Redeems login tokens (contract §4): verifies, decides, consumes once, opens a new session.
package final class LoginTokenRedeemer: Sendable {
    /// A repeat this soon from the same browser is a double tap whose cookie is still on its way.
    private static let doubleTapWindow = Duration.seconds(3)
    /// Wrong verifiers, codes and bindings that a token survives, less one.
    private static let missLimit = LimitSettings.typedCodeTries

    let settings: LoginTokenSettings
    let codec: LoginTokenCodec
    let clients: Reloadable<ClientDirectory>
    let subjects: Subjects
    let parents: ParentSessions
    let store: any LoginTokenStore
    let sessions: WebSessions
    private let endings: SessionEndings
    let replayGuard: any ReplayGuard
    let refusals: RedemptionRefusals
    let time: TimeSource
    let random: RandomSource
    /// `nil` records nothing.
    let recorder: SpanRecorder?
    let retries: ShortLivedSeal
    let undecided = UndecidedServerRedemptions()

    package init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>,
        subjects: Subjects, parents: ParentSessions, store: any LoginTokenStore, sessions: WebSessions,
        endings: SessionEndings, replayGuard: any ReplayGuard, refusals: RedemptionRefusals,
        keys: Reloadable<LoginTokenKeyRing>,
        time: TimeSource = .system, random: RandomSource = .system, recorder: SpanRecorder? = nil
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
        self.recorder = recorder
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
        return try await inTrace(of: verification) { try await redeem(request, as: verification, at: now) }
    }

    private func redeem(
        _ request: RedemptionRequest, as verification: LoginTokenVerification, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        let mode =
            if case .verified(let claims) = verification {
                clients.current[claims.audience]?.redeemMode ?? .direct
            } else {
                Client.RedeemMode.direct
            }
        if case .confirm(let submitsItself) = decision(on: request, verification, mode) {
            guard case .verified(let claims) = verification, claims.binding.typedCodeKey != nil else {
                return .confirm(submitsItself: submitsItself)
            }
            return .confirm(submitsItself: false, code: .asked)
        }
        let (claims, isExpired): (LoginTokenClaims, Bool)
        switch verification {
        case .refused(let flaw):
            return try await refusals.refuse(RedemptionRefusal(flaw), origin: request.origin, at: now)
        case .expired(let found): (claims, isExpired) = (found, true)
        case .verified(let found): (claims, isExpired) = (found, false)
        }
        return try await redeem(
            RedemptionCandidate(
                channel: .browser, claims: claims, isExpired: isExpired, website: clients.current[claims.audience],
                landing: landing(of: claims, request), origin: request.origin, at: now,
                codeVerifier: request.codeVerifier, typedCode: request.typedCode.flatMap(TypedCodes.read),
                current: try await session(of: request, isUse: !isExpired), tokenSessions: request.tokenSessions,
                retry: retry(request.retry, for: claims),
                confirmsSwitch: request.confirmsSwitch && request.visit.formIsOurs))
    }

    /// - Parameter isUse: whether this puts the session's idle end off, which an expired token is not worth.
    private func session(of request: RedemptionRequest, isUse: Bool) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        if isUse { return try await sessions.lookUp(secret) }
        return try await sessions.known(secret).flatMap { $0.isAlive(at: time.now()) ? $0 : nil }
    }

    func redeem(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome {
        if let limited = try await takeTry(candidate) { return limited }
        switch try await examine(candidate) {
        case .passes(let redemption): return try await use(redemption, candidate)
        case .held(let session): return try await landed(candidate, nil, in: session.id)
        case .opened(let opened): return try await landed(candidate, opened, in: opened.session.id)
        // To ask is no refusal: a form without the code is what a scanner sends, and a page whose token was in the
        // fragment.
        case .refused(.codeMissing, _) where candidate.channel == .browser:
            return .confirm(submitsItself: false, code: .asked)
        case .refused(.wrongCode, _) where candidate.channel == .browser:
            return try await missCode(candidate)
        case .refused(let refusal, let cost): return try await refuse(refusal, cost, candidate)
        }
    }

    /// Counts a try of a token's code before it is judged, so that many at a time are no more than one after another.
    /// - Returns: `nil` while there are tries left.
    private func takeTry(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome? {
        guard candidate.binding.typedCodeKey != nil, candidate.typedCode != nil, !candidate.isExpired,
            case .exceeded = try await refusals.takeTry(of: candidate.claims.id, at: candidate.at)
        else { return nil }
        return try await refuse(.wrongCode, .counts, candidate)
    }

    private func landed(
        _ candidate: RedemptionCandidate, _ opened: OpenedSession?, in sessionID: SessionID
    ) async throws -> RedemptionOutcome {
        guard let landing = candidate.landing else { return .refused }
        if let refusal = landing.refusal {
            try await refusals.recordRepeat(
                AuditEvent(
                    at: candidate.at, type: .redirectRefused, outcome: .failure, reason: refusal.reason.rawValue,
                    subject: candidate.claims.subject, clientID: candidate.claims.clientID,
                    targetClientID: candidate.claims.audience, sessionID: sessionID, tokenID: candidate.claims.id,
                    origin: candidate.origin, detail: refusal.detail),
                of: candidate.claims.id)
        }
        return .landed(location: landing.location, opened: opened)
    }

    private func decision(
        on request: RedemptionRequest, _ verification: LoginTokenVerification, _ mode: Client.RedeemMode
    ) -> VisitDecision {
        guard case .verified(let claims) = verification, isHandOff(claims) else {
            return .decide(request.visit, mode: mode)
        }
        let isExpected = claims.binding.handOff.map { expected in
            request.handOffState.map { ConstantTime.equals($0.digest.utf8, expected.utf8) } ?? false
        }
        return .decide(handOff: request.visit, mode: mode, isExpected: isExpected ?? false)
    }

    /// Whether a portal issued the token: apps alone have the other right, and a website never has.
    func isHandOff(_ claims: LoginTokenClaims) -> Bool { examiner.isHandOff(claims) }

    var examiner: RedemptionExaminer {
        RedemptionExaminer(
            clients: clients, parents: parents,
            isDisabled: { [subjects] in try await subjects.isDisabled($0, at: $1) },
            attempts: RedemptionExaminer.Attempts(
                ofBrowser: { try await self.opened(by: $0) }, ofServer: { try await self.openedForServer($0, at: $1) }),
            typedCodes: codec.typedCodes, random: random)
    }

    /// The website of a token of ours, expired or not; touches no state.
    /// - Throws: ``StorageError`` when the token's key is unknown here and the database cannot say more.
    package func website(of token: Secret<String>) async throws -> Client? {
        switch try await codec.verify(token, at: time.now()) {
        case .verified(let claims), .expired(let claims): clients.current[claims.audience]
        case .refused: nil
        }
    }

    func landing(of claims: LoginTokenClaims, _ request: RedemptionRequest) -> Landing? {
        guard let website = clients.current[claims.audience], website.kind == .web else { return nil }
        return Landing.decide(
            request.redirect, sealed: claims.target, website: website, ownOrigin: settings.publicOrigin,
            issuer: settings.issuer)
    }

    /// Uses up a token that every check has passed, unless it was used before or another user is signed in here.
    func use(_ redemption: Redemption, _ candidate: RedemptionCandidate) async throws -> RedemptionOutcome {
        let held = candidate.held
        let replaced = redemption.replaced(of: held, current: candidate.current)
        if case .browser(let own) = redemption.issuing, replaced.contains(where: { $0.id == own.id }) {
            return try await goOn(redemption, with: own)
        }
        let others = held.filter { $0.subject != redemption.claims.subject }
        if let other = others.first, !candidate.confirmsSwitch {
            // Asking consumes nothing, so it must not claim the token either.
            if let outcome = try await outcomeOfKnownState(redemption) { return outcome }
            return .switchAccount(current: other.subject, proposed: redemption.claims.subject)
        }
        let (id, expiry) = (redemption.claims.id, redemption.claims.expiresAt)
        if try await replayGuard.claim(id, until: expiry, at: redemption.at) == .claimedBefore,
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }
        return try await open(redemption, replacing: replaced + others)
    }

    /// Uses up a link that came back to its portal, in the same browser: the session that it was issued from answers
    /// here, and a session under it would take its place.
    private func goOn(_ redemption: Redemption, with own: WebSession) async throws -> RedemptionOutcome {
        let event = redemption.event(.loginTokenRevoked, .success, reason: "signed_in_here", sessionID: own.id)
        if case .alreadyUsed = try await store.revoke(redemption.claims.issued, at: redemption.at, event: event),
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }
        return .landed(location: redemption.landing.location, opened: nil)
    }

    func miss(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims, origin: RequestOrigin, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        _ = try await recordMiss(refusal, claims: claims, origin: origin, at: now)
        return try await refusals.count(origin: origin, at: now)
    }

    /// A wrong code may be typed again, for as long as the token survives that.
    private func missCode(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome {
        let (claims, origin, now) = (candidate.claims, candidate.origin, candidate.at)
        let isLast = try await recordMiss(.wrongCode, claims: claims, origin: origin, at: now) >= Self.missLimit
        let outcome = try await refusals.count(origin: origin, at: now)
        guard case .refused = outcome, !isLast else { return outcome }
        return .confirm(submitsItself: false, code: .wrong)
    }

    /// - Returns: how many there were of this token by now.
    private func recordMiss(
        _ refusal: RedemptionRefusal, claims: LoginTokenClaims, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Int {
        let event = RedemptionRefusals.event(refusal, claims: claims, origin: origin, at: now)
        return try await store.recordMiss(
            claims.issued, at: now, limit: Self.missLimit, event: event,
            alwaysTells: try await refusals.admits(event, about: claims.id))
    }
}

extension LoginTokenRedeemer {
    /// What is known of a token that the guard has seen before, or that is about to be asked about.
    /// - Returns: `nil` while it is unused.
    func outcomeOfKnownState(_ redemption: Redemption) async throws -> RedemptionOutcome? {
        switch try await store.state(of: redemption.claims.id)?.status {
        case .redeemed(let use):
            if let opened = try await opened(by: redemption.retry) {
                .landed(location: redemption.landing.location, opened: opened)
            } else {
                try await repeated(redemption, use: use)
            }
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
        // This very attempt, whose first answer was lost; what has ended since is not given back (contract §16.5).
        case .alreadyUsed(let first) where first.sessionID == opened.session.id:
            guard let stored = try await sessions.peek(first.sessionID) else {
                return try await repeated(redemption, use: first)
            }
            var confirmed = OpenedSession(session: stored, secret: opened.secret)
            confirmed.refresh = opened.refresh
            return await landed(redemption, confirmed, replacing: current)
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
                redemption.claims.issued, opening: opened.session, refreshDigest: opened.refresh?.digest, use: use,
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
            if redemption.isByServer { undecided.remember(opened, of: redemption.claims.id, at: redemption.at) }
            throw try unheard(opened, of: redemption.claims.id)
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
        let ending = Ending(
            at: redemption.at, reason: "token_replayed", origin: redemption.origin, extent: .descendants)
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
