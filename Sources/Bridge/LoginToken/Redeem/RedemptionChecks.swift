/// The ways in which a login token comes to be redeemed. What uses it up is shared by all of them.
enum RedemptionChannel: CaseIterable {
    /// A browser at the redemption path (contract §4.1).
    case browser
    /// A website's server (contract §4.4).
    case server
    /// A website's authorization request (contract §4.5).
    case request
    /// A website's authorization request, pushed: there is no browser yet, so nothing is redeemed.
    case pushed
}

/// One thing that a login token is asked before it is redeemed.
struct RedemptionCheck: Sendable {
    enum Question: Hashable, Sendable {
        case inTime
        case isForTheWebsite
        case appMayOpenTheWebsite
        case isUnknownToTheBrowser
        case browserHasNoAttempt
        case serverHasNoAttempt
        case isNoHandOff
        case bindingIsShown
        case codeIsGiven
        case codeIsRight
        case isUnbound
        case needsNoClick
        case signInIsEnough
        case userAndSessionStand
        case appsAboveMayOpenTheWebsite
        case requestWouldBeAnswered
    }

    /// What a "no" costs.
    enum Cost: Sendable {
        /// The reason goes to the audit log, and it counts against the network.
        case counts
        /// As ``counts``, and it is one of the misses that a token survives.
        case misses
        /// The reason goes to the audit log; it does not count as a failure.
        case leaves
    }

    let question: Question
    let channels: Set<RedemptionChannel>
    let cost: Cost

    private init(_ question: Question, _ channels: Set<RedemptionChannel>, _ cost: Cost = .counts) {
        self.question = question
        self.channels = channels
        self.cost = cost
    }

    private static let everywhere = Set(RedemptionChannel.allCases)

    /// Every check, in the order in which it is asked: the first "no" decides. After them only single use is left.
    ///
    /// Another website's token is none of this one's business, so that comes before what is told about the token. A
    /// browser and an authorization request go on with the session that the token has opened, whatever has happened to
    /// the token since.
    static let list: [RedemptionCheck] = [
        RedemptionCheck(.isUnknownToTheBrowser, [.browser]),
        RedemptionCheck(.inTime, [.browser, .server]),
        RedemptionCheck(.isForTheWebsite, everywhere),
        RedemptionCheck(.appMayOpenTheWebsite, [.browser, .server]),
        RedemptionCheck(.isUnknownToTheBrowser, [.request]),
        RedemptionCheck(.browserHasNoAttempt, [.browser, .request]),
        RedemptionCheck(.inTime, [.request, .pushed]),
        RedemptionCheck(.appMayOpenTheWebsite, [.request, .pushed]),
        RedemptionCheck(.isNoHandOff, [.server]),
        RedemptionCheck(.isUnbound, [.request, .pushed], .leaves),
        RedemptionCheck(.bindingIsShown, [.browser, .server], .misses),
        RedemptionCheck(.codeIsGiven, [.browser, .server], .leaves),
        RedemptionCheck(.codeIsRight, [.browser, .server], .misses),
        RedemptionCheck(.needsNoClick, [.request], .leaves),
        RedemptionCheck(.serverHasNoAttempt, [.server]),
        // An authorization request asks its user for the rest instead.
        RedemptionCheck(.signInIsEnough, [.browser, .server], .leaves),
        RedemptionCheck(.userAndSessionStand, everywhere),
        RedemptionCheck(.appsAboveMayOpenTheWebsite, everywhere),
        RedemptionCheck(.requestWouldBeAnswered, [.request], .leaves),
    ]
}

/// A login token whose signature holds, and all that its redemption depends on.
struct RedemptionCandidate: Sendable {
    let channel: RedemptionChannel
    let claims: LoginTokenClaims
    var isExpired: Bool
    /// In a browser the token's own website, elsewhere the client that asks.
    let website: Client?
    /// `nil` when the website has nowhere to land.
    var landing: Landing?
    let origin: RequestOrigin
    let at: Timestamp
    var codeVerifier: String?
    /// Six digits, as ``SixDigits/read(_:)`` gives them.
    var typedCode: String?
    /// Whether something was typed, which may not be a code.
    var hasTypedCode = false
    /// The part of the token's binding that can be judged; all of it, unless the caller only asks.
    var judgedBinding: LoginTokenBinding?
    /// The session of the browser's cookie.
    var current: WebSession?
    /// The session of that cookie which opens nothing any more: its user is not asked about a switch, and a new one
    /// takes its place all the same.
    var left: WebSession?
    /// Those of its cookies of the profile `tokens`, those too that open nothing any more.
    var tokenSessions: [WebSession] = []
    /// The browser's attempt with this token that could not be confirmed.
    var retry: RedemptionRetry?
    /// The user chose to continue as the token's user, in a form of ours.
    var confirmsSwitch = false
    /// Why what asks would not be answered for a session of such a lineage; `nil` where it would.
    var objection: @Sendable (Lineage) async throws -> RedemptionRefusal? = { _ in nil }

    /// What the browser must show, as far as that is judged.
    var binding: LoginTokenBinding { judgedBinding ?? claims.binding }

    /// The client that brought the token, where it is another's.
    var otherPresenter: ClientID? { website.flatMap { $0.id == claims.audience ? nil : $0.id } }

    /// Every live session that the browser holds.
    var held: [WebSession] { [current].compactMap(\.self) + tokenSessions.filter { $0.isAlive(at: at) } }

    /// Every one that its cookies name and that opens nothing any more.
    var allLeft: [WebSession] { [left].compactMap(\.self) + tokenSessions.filter { !$0.isAlive(at: at) } }
}

/// What the checks say of a token.
enum RedemptionFinding: Sendable {
    case passes(Redemption)
    /// The token opened this session of the browser's: a reload, or the way back.
    case held(WebSession)
    /// An attempt that could not be confirmed was made, and opened this.
    case opened(OpenedSession)
    case refused(RedemptionRefusal, RedemptionCheck.Cost)
}

/// Asks login tokens what stands in ``RedemptionCheck/list``: for those who redeem, and for those who only want to
/// know.
package struct RedemptionExaminer: Sendable {
    let clients: Reloadable<ClientDirectory>
    let parents: ParentSessions
    let isDisabled: @Sendable (Subject) async throws -> Bool
    /// What earlier attempts have opened that could not be confirmed; `nil` where nothing is redeemed.
    var attempts: UnconfirmedAttempts?
    /// Where nothing can be typed, nothing typed is right.
    var typedCodes: TypedCodes?

    /// Asks every check of the channel, in order; writes nothing down.
    /// - Parameter omitted: questions that are not asked.
    /// - Returns: the result; the questions that were answered with yes; and the one that was not.
    func examine(
        _ candidate: RedemptionCandidate, without omitted: Set<RedemptionCheck.Question> = []
    ) async throws -> (
        finding: RedemptionFinding, passed: [RedemptionCheck.Question], decisive: RedemptionCheck.Question?
    ) {
        var redemption: Redemption?
        var passed: [RedemptionCheck.Question] = []
        for check in RedemptionCheck.list
        where check.channels.contains(candidate.channel) && !omitted.contains(check.question) {
            switch try await answer(to: check.question, candidate, &redemption) {
            case .yes: passed.append(check.question)
            case .no(let refusal): return (.refused(refusal, check.cost), passed, check.question)
            case .held(let session): return (.held(session), passed, check.question)
            case .opened(let opened): return (.opened(opened), passed, check.question)
            }
        }
        // Without the checks of website and session nothing is redeemed.
        guard let redemption else { return (.refused(.unknownWebsite, .counts), passed, nil) }
        return (.passes(redemption), passed, nil)
    }

    private func isHandOff(_ claims: LoginTokenClaims) -> Bool { clients.current.isHandOff(claims) }

    private enum Answer {
        case yes
        case no(RedemptionRefusal)
        case held(WebSession)
        case opened(OpenedSession)

        init(_ isYes: Bool, else refusal: RedemptionRefusal) { self = isYes ? .yes : .no(refusal) }
    }

    /// - Parameter redemption: made once website and session are known to be good.
    private func answer(
        to question: RedemptionCheck.Question, _ candidate: RedemptionCandidate, _ redemption: inout Redemption?
    ) async throws -> Answer {
        let claims = candidate.claims
        switch question {
        case .inTime: return try await isInTime(candidate)
        case .isForTheWebsite:
            guard let website = clients.current[claims.audience], website.kind == .web else {
                return .no(.unknownWebsite)
            }
            guard candidate.website?.id == website.id else { return .no(.wrongWebsite) }
            return Answer(candidate.landing != nil, else: .noReturnPaths)
        case .appMayOpenTheWebsite:
            let mayOpen = candidate.website.flatMap { clients.current[claims.clientID]?.opens($0) } ?? false
            return Answer(mayOpen, else: .clientWithoutRight)
        case .isUnknownToTheBrowser:
            guard candidate.landing != nil else { return .yes }
            return candidate.held.first { $0.loginTokenID == claims.id }.map(Answer.held) ?? .yes
        case .browserHasNoAttempt:
            let opened = try await attempts?.opened(by: candidate.retry)
            return opened.map(Answer.opened) ?? .yes
        case .serverHasNoAttempt:
            let opened = try await attempts?.openedForServer(claims, at: candidate.at)
            return opened.map(Answer.opened) ?? .yes
        // A hand-off is a browser's own affair.
        case .isNoHandOff: return Answer(!clients.current.isOfBrowser(claims), else: .boundToken)
        case .isUnbound: return Answer(claims.binding == .none && !isHandOff(claims), else: .boundToken)
        case .bindingIsShown: return isBindingShown(by: candidate)
        case .codeIsGiven:
            return Answer(candidate.binding.typedCodeKey == nil || candidate.typedCode != nil, else: .codeMissing)
        case .codeIsRight: return isCodeRight(candidate)
        case .needsNoClick: return Answer(candidate.website?.redeemMode == .direct, else: .confirmationNeeded)
        case .signInIsEnough:
            // As old as when it was handed over: the website may have come to want more since then.
            let isEnough = candidate.website?.accepts(claims.authentication, at: claims.issuedAt) ?? false
            return Answer(isEnough, else: .authenticationTooWeak)
        case .userAndSessionStand:
            switch try await standing(of: claims, at: candidate.at) {
            case .success(let issuing): redemption = Redemption(candidate, issuing: issuing)
            case .failure(let refusal): return .no(refusal)
            }
            return .yes
        case .appsAboveMayOpenTheWebsite:
            let mayOpen = redemption.map { $0.issuing.appsAboveOpen($0.website, in: clients.current) }
            return Answer(mayOpen ?? false, else: .targetNotReachableAbove)
        case .requestWouldBeAnswered:
            guard let redemption else { return .no(.signInDemanded) }
            return try await candidate.objection(redemption.lineage).map(Answer.no) ?? .yes
        }
    }

    private func isInTime(_ candidate: RedemptionCandidate) async throws -> Answer {
        guard candidate.isExpired else { return .yes }
        // What an attempt in time has opened is the browser's, however late it hears of it.
        if candidate.landing != nil, let opened = try await attempts?.opened(by: candidate.retry) {
            return .opened(opened)
        }
        return .no(.expired)
    }

    private func isBindingShown(by candidate: RedemptionCandidate) -> Answer {
        let refusal = BindingCheck.failure(
            of: candidate.binding, verifier: candidate.codeVerifier, address: candidate.origin.address)
        return refusal.map(Answer.no) ?? .yes
    }

    private func isCodeRight(_ candidate: RedemptionCandidate) -> Answer {
        guard candidate.binding.typedCodeKey != nil else { return .yes }
        let isRight = candidate.typedCode.map {
            typedCodes?.isRight($0, for: candidate.claims, at: candidate.at) ?? false
        }
        return Answer(isRight ?? false, else: .wrongCode)
    }

    /// The session that the token was issued from, while that session is live and its user enabled.
    private func standing(
        of claims: LoginTokenClaims, at now: Timestamp
    ) async throws -> Result<IssuingSession, RedemptionRefusal> {
        if try await isDisabled(claims.subject) { return .failure(.subjectDisabled) }
        return switch try await parents.standing(of: claims, isHandOff: isHandOff(claims), at: now) {
        case .mayIssue(let session): .success(session)
        case .chained, .ended: .failure(.parentSessionEnded)
        }
    }
}

extension RedemptionExaminer {
    /// The examiner for those who redeem.
    package init(
        clients: Reloadable<ClientDirectory>, parents: ParentSessions, subjects: Subjects, codec: LoginTokenCodec,
        attempts: UnconfirmedAttempts
    ) {
        self.init(
            clients: clients, parents: parents, isDisabled: { try await subjects.isDisabled($0) },
            attempts: attempts, typedCodes: codec.typedCodes)
    }
}

extension ClientDirectory {
    /// Whether a portal issued the token: apps alone have the other right, and a website never has.
    func isHandOff(_ claims: LoginTokenClaims) -> Bool { self[claims.clientID]?.kind == .web }

    /// Whether the token takes a browser on from its sign-in here: by a portal, or by an app's approval (ADR-0077), of
    /// which its nonce tells.
    func isOfBrowser(_ claims: LoginTokenClaims) -> Bool { isHandOff(claims) || claims.binding.handOff != nil }
}

extension Redemption {
    fileprivate init?(_ candidate: RedemptionCandidate, issuing: IssuingSession) {
        guard let website = candidate.website, let landing = candidate.landing else { return nil }
        self.init(
            claims: candidate.claims, issuing: issuing, website: website, landing: landing, origin: candidate.origin,
            at: candidate.at, isByServer: candidate.channel == .server, retry: candidate.retry)
    }
}
