import OAuth2

/// Redeems login tokens (contract §4), whichever way they come: reads what is brought, asks every check, and has the
/// token used up or refused.
package final class LoginTokenRedeemer: Sendable {
    let reader: RedemptionReader
    let examiner: RedemptionExaminer
    let singleUse: SingleUse
    let attempts: UnconfirmedAttempts
    let refusals: RedemptionRefusals
    let time: TimeSource
    /// `nil` records nothing.
    let recorder: SpanRecorder?
    /// Told what comes of each token that is brought to be redeemed, by whichever way.
    let onOutcome: @Sendable (RedemptionOutcome.Label) -> Void

    package init(
        reader: RedemptionReader, examiner: RedemptionExaminer, singleUse: SingleUse, attempts: UnconfirmedAttempts,
        refusals: RedemptionRefusals, time: TimeSource, recorder: SpanRecorder?,
        onOutcome: @escaping @Sendable (RedemptionOutcome.Label) -> Void
    ) {
        self.reader = reader
        self.examiner = examiner
        self.singleUse = singleUse
        self.attempts = attempts
        self.refusals = refusals
        self.time = time
        self.recorder = recorder
        self.onOutcome = onOutcome
    }

    /// Answers one request of a browser.
    /// - Throws: ``StorageError`` when a store cannot decide, and nothing is consumed; ``UndecidedRedemption`` when
    ///   that is not known.
    package func redeem(_ request: RedemptionRequest) async throws -> RedemptionOutcome {
        let now = time.now()
        let outcome: RedemptionOutcome
        switch request.token {
        case .one(let token):
            return try await redeeming(token, at: now) { try await redeem(request, as: $0, at: now) }
        case .conflicting: outcome = try await answer(request, refusingAs: .conflictingTokens, at: now)
        case .none where request.visit.carrier == .form:
            outcome = try await refusals.refuse(.missing, origin: request.origin, at: now)
        case .none: outcome = try await answer(request, refusingAs: .missing, at: now)
        }
        onOutcome(outcome.label)
        return outcome
    }

    /// Answers a visit without a token to go by. One that would not consume any gets the page all the same: what
    /// fetches ahead has not failed at anything (contract §4.2).
    /// - Parameter refusal: why there is none.
    private func answer(
        _ request: RedemptionRequest, refusingAs refusal: RedemptionRefusal, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        if case .confirm(let submitsItself) = VisitDecision.decide(request.visit, mode: .direct) {
            return .confirm(submitsItself: submitsItself)
        }
        return try await refusals.refuse(refusal, origin: request.origin, at: now)
    }

    private func redeem(
        _ request: RedemptionRequest, as verification: LoginTokenVerification, at now: Timestamp
    ) async throws -> RedemptionOutcome {
        if case .confirm(let submitsItself) = reader.decision(on: request, verification) {
            guard case .verified(let claims) = verification, claims.binding.typedCodeKey != nil else {
                return .confirm(submitsItself: submitsItself)
            }
            return .confirm(submitsItself: false, code: .asked)
        }
        switch try await read(verification, origin: request.origin, at: now) {
        case .refused(let outcome): return outcome
        case .ours(let claims, let isExpired):
            return try await redeem(try await reader.candidate(of: request, claims, isExpired: isExpired, at: now))
        }
    }

    /// Reads what was brought as a login token, and refuses what is none of ours.
    /// - Parameter counts: whether that counts against the network.
    func read(
        _ verification: LoginTokenVerification, origin: RequestOrigin, at now: Timestamp, counts: Bool = true
    ) async throws -> BroughtToken {
        do throws(LoginTokenRefusal) {
            let found = try verification.read()
            return .ours(found.claims, isExpired: found.isExpired)
        } catch {
            let refusal = RedemptionRefusal(error)
            if counts { return .refused(try await refusals.refuse(refusal, origin: origin, at: now)) }
            try await refusals.recordUnread(refusal, origin: origin, at: now)
            return .refused(.refused)
        }
    }

    func redeem(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome {
        if let limited = try await takeTry(candidate) { return limited }
        switch try await examiner.examine(candidate).finding {
        case .passes(let redemption): return try await singleUse.use(redemption, candidate)
        case .held(let session): return try await landed(candidate, nil, in: session.id)
        case .opened(let opened): return try await landed(candidate, opened, in: opened.session.id)
        // Asking is not a refusal: a form without the code is what a scanner sends, and a page whose token was in the
        // fragment.
        case .refused(.codeMissing, _) where candidate.channel == .browser:
            return .confirm(submitsItself: false, code: candidate.hasTypedCode ? .incomplete : .asked)
        case .refused(.wrongCode, _) where candidate.channel == .browser:
            return try await refusals.missCode(candidate)
        case .refused(.expired, let cost):
            let late = try await candidate.channel == .server ? lateRetry(candidate) : lateTap(candidate)
            if let late { return late }
            return try await refusals.refuse(.expired, cost, candidate)
        case .refused(let refusal, let cost): return try await refuse(refusal, cost, candidate)
        }
    }

    /// What may speak against a token that was used before, though nothing did when it was. That a website is not there
    /// any more is not among it: without one no replay can be told.
    private static let laterRefusals: Set<RedemptionRefusal> = [
        .noReturnPaths, .clientWithoutRight, .targetNotReachableAbove, .authenticationTooWeak,
    ]

    /// Refuses as the check says, unless the token was used before: a token that comes again is a replay even where its
    /// website has nowhere to land by now or has come to want more, or its app has no right to open it (contract §4.3,
    /// §16.5).
    func refuse(
        _ refusal: RedemptionRefusal, _ cost: RedemptionCheck.Cost, _ candidate: RedemptionCandidate
    ) async throws -> RedemptionOutcome {
        if Self.laterRefusals.contains(refusal), let outcome = try await replay(by: candidate) {
            return outcome
        }
        return try await refusals.refuse(refusal, cost, candidate)
    }

    /// - Returns: `nil` for a first use; for the browser that holds what the first one opened, or tapped twice; and
    ///   where any other check says no, such as that of the binding.
    private func replay(by candidate: RedemptionCandidate) async throws -> RedemptionOutcome? {
        var candidate = candidate
        candidate.landing = candidate.landing ?? reader.ownPage
        let omitted: Set<RedemptionCheck.Question> = [
            .appMayOpenTheWebsite, .appsAboveMayOpenTheWebsite, .signInIsEnough,
        ]
        switch try await examiner.examine(candidate, without: omitted).finding {
        case .passes(let redemption): return try await singleUse.replay(redemption)
        case .opened(let opened):
            // The check took it away from the server's next attempt, which may come when the app has its right again.
            if candidate.channel == .server {
                attempts.ofServers.remember(opened, of: candidate.claims.id, at: candidate.at)
            }
            return nil
        case .held, .refused: return nil
        }
    }

    /// A double tap whose second request comes when the token has run out meanwhile: as any other, where nothing but
    /// the time speaks against it (contract §4.3).
    /// - Returns: `nil` where it is none; nothing ends then.
    private func lateTap(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome? {
        guard let use = try await singleUse.useJustBefore(candidate) else { return nil }
        var inTime = candidate
        inTime.isExpired = false
        guard case .passes(let redemption) = try await examiner.examine(inTime).finding else { return nil }
        return try await singleUse.doubleTap(redemption, after: use)
    }

    /// A website's server that was told to try again, and does when the token has run out meanwhile: what its attempt in
    /// time has opened is its own (contract §4.4). Nothing is opened now.
    ///
    /// Only where it shows what the link alone does not say. Whoever came with the link of another to that website would
    /// look just like it otherwise, and after its end a link is good for nobody.
    /// - Returns: `nil` where there was no such attempt, or anything but the time speaks against it.
    private func lateRetry(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome? {
        let binding = candidate.binding
        guard binding.challenge != nil || binding.typedCodeKey != nil,
            attempts.ofServers.hasOne(of: candidate.claims.id, at: candidate.at)
        else { return nil }
        var inTime = candidate
        inTime.isExpired = false
        if let limited = try await takeTry(inTime) { return limited }
        switch try await examiner.examine(inTime).finding {
        case .opened(let opened): return try await landed(candidate, opened, in: opened.session.id)
        case .refused(.wrongCode, _): return try await refusals.refuse(.wrongCode, .counts, candidate)
        default: return nil
        }
    }

    /// Counts an attempt at a token's code before it is judged, so that many at a time are no more than one after
    /// another.
    /// - Returns: `nil` while there are attempts left.
    private func takeTry(_ candidate: RedemptionCandidate) async throws -> RedemptionOutcome? {
        // Another website's attempts do not count: it would use up those of the token's own (contract §4.4).
        guard candidate.binding.typedCodeKey != nil, candidate.typedCode != nil, !candidate.isExpired,
            candidate.website?.id == candidate.claims.audience,
            case .exceeded = try await refusals.takeTry(of: candidate.claims.id, at: candidate.at)
        else { return nil }
        return try await refusals.refuse(.wrongCode, .counts, candidate)
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

    /// The website of a token of ours, expired or not; touches no state.
    /// - Throws: ``StorageError`` when the token's key is unknown here and the database cannot say more.
    package func website(of token: Secret<String>) async throws -> Client? {
        try await reader.website(of: token, at: time.now())
    }

    /// Finishes the answer that takes a session to its browser; see ``UnconfirmedAttempts/deliver(_:_:)``.
    /// - Throws: ``UndecidedRedemption`` in the place of ``StorageError``.
    package func deliver<Answer>(
        _ opened: OpenedSession?, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        try await attempts.deliver(opened, answer)
    }

    /// Finishes the answer that takes a session to a website's server; see
    /// ``UnconfirmedAttempts/deliver(_:toServerAt:_:)``.
    func deliver<Answer>(
        _ session: WebSession, toServerAt now: Timestamp, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        try await attempts.deliver(session, toServerAt: now, answer)
    }
}

/// What was brought as a login token.
enum BroughtToken: Sendable {
    case ours(LoginTokenClaims, isExpired: Bool)
    /// None of ours; why is in the audit log.
    case refused(RedemptionOutcome)
}
