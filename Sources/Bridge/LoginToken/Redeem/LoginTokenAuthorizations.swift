package import OAuth2

/// Authorization requests that bring a login token (contract §4.5): it is redeemed on the way, for the client that asks.
package final class LoginTokenAuthorizations: Sendable {
    private let authorizations: Authorizations
    private let redeemer: LoginTokenRedeemer

    package init(authorizations: Authorizations, redeemer: LoginTokenRedeemer) {
        self.authorizations = authorizations
        self.redeemer = redeemer
    }

    /// The browser that brings a request.
    package struct Visitor: Sendable {
        /// The browser's form binding.
        package let browser: OpaqueSecret
        /// The session of its cookie: whose browser it is.
        package let session: WebSession?
        /// Whether the client's request may be granted in it.
        package let isGranting: Bool
        /// The session of its cookie, where it opens nothing any more.
        package let left: WebSession?
        /// Those that its cookies of the profile `tokens` name, alive or not, until their absolute end.
        package let tokenSessions: [WebSession]
        /// Those of them whose access token has run out or was revoked: they say whose browser this is, and nothing is
        /// granted in them.
        package let spent: Set<SessionID>
        /// Whether the request may sign anybody in: not when another website sent the browser here (login CSRF), nor
        /// when no browser is there yet.
        package let mayRedeem: Bool
        /// What an attempt that could not be confirmed left with the browser.
        package let retry: String?
        package let origin: RequestOrigin

        package init(
            browser: OpaqueSecret, session: WebSession?, isGranting: Bool, left: WebSession?,
            tokenSessions: [WebSession], spent: Set<SessionID>, mayRedeem: Bool, retry: String?, origin: RequestOrigin
        ) {
            self.browser = browser
            self.session = session
            self.isGranting = isGranting
            self.left = left
            self.tokenSessions = tokenSessions
            self.spent = spent
            self.mayRedeem = mayRedeem
            self.retry = retry
            self.origin = origin
        }
    }

    /// The outcome of an authorization request that carries a login token (contract §4.5).
    package enum Outcome: Sendable {
        /// - Parameter opened: the session that the request opened, whose cookies go along.
        case authorization(AuthorizationOutcome, opened: OpenedSession?)
        /// Another user is signed in here: ask.
        /// - Parameter journey: the request without its token; see ``Authorizations/resume(_:browser:session:origin:)``.
        case switchAccount(
            current: Subject, proposed: Subject, journey: String, token: Secret<String>, AuthorizationRequest)
    }

    /// A request as it comes from the client.
    package func begin(
        _ parameters: FormParameters, isEmbedded: Bool, by visitor: Visitor
    ) async throws -> Outcome {
        let prepared = try await authorizations.prepare(
            parameters, browser: visitor.browser, isEmbedded: isEmbedded, origin: visitor.origin)
        return try await answer(to: prepared, by: visitor, confirmsSwitch: false)
    }

    /// The answer of the page that asks about another user's session.
    /// - Parameter journey: as the page got it.
    package func confirmSwitch(
        _ journey: String, token: Secret<String>, by visitor: Visitor
    ) async throws -> Outcome {
        guard
            let prepared = authorizations.prepare(
                resuming: journey, loginToken: token, browser: visitor.browser)
        else { return .authorization(.stale, opened: nil) }
        return try await answer(to: prepared, by: visitor, confirmsSwitch: true)
    }

    private func answer(
        to prepared: PreparedAuthorization, by visitor: Visitor, confirmsSwitch: Bool
    ) async throws -> Outcome {
        // A bad request uses nothing up.
        guard let token = prepared.loginToken, visitor.mayRedeem, let request = prepared.request else {
            return try await answer(prepared, visitor.isGranting ? visitor.session : nil, visitor)
        }
        let outcome = try await redeemer.redeem(
            TokenAuthorization(
                token: token, website: request.client, current: visitor.session, left: visitor.left,
                tokenSessions: visitor.tokenSessions, confirmsSwitch: confirmsSwitch, retry: visitor.retry,
                origin: visitor.origin)
        ) { lineage in
            try await self.objection(of: request, to: lineage)
        }
        switch outcome {
        case .opened(let opened):
            return try await redeemer.deliver(opened) { try await answer(prepared, opened.session, visitor, opened) }
        case .again(let session):
            return try await answer(prepared, visitor.spent.contains(session.id) ? nil : session, visitor)
        // Another user who is signed in here is not the one the app meant: the sign-in page asks.
        case .refused: return try await answer(prepared, nil, visitor)
        // To be told that no user is signed in would not help: a token does not bring a consent
        // (docs/rules/authorization-request.md A10, 7).
        case .consentDemanded: return .authorization(authorizations.consentRequired(request), opened: nil)
        // A question is a page, which a silent request must not show (OpenID Connect Core §3.1.2.1).
        case .switchAccount where request.prompts.contains(.none): return try await answer(prepared, nil, visitor)
        case .switchAccount(let current, let proposed):
            return .switchAccount(
                current: current, proposed: proposed, journey: try authorizations.keep(prepared), token: token, request)
        }
    }

    private func objection(
        of request: AuthorizationRequest, to lineage: Lineage
    ) async throws -> RedemptionRefusal? {
        switch try await authorizations.decide(request, for: lineage) {
        case .issueCode, .askConsent: nil
        case .refuse(let code, _) where code == .consentRequired: .consentDemanded
        case .signIn, .refuse: .signInDemanded
        }
    }

    /// Finishes the answer that takes a session to its browser.
    /// - Throws: as ``LoginTokenRedeemer/deliver(_:_:)``.
    package func deliver<Answer>(
        _ opened: OpenedSession?, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        try await redeemer.deliver(opened, answer)
    }

    private func answer(
        _ prepared: PreparedAuthorization, _ session: WebSession?, _ visitor: Visitor, _ opened: OpenedSession? = nil
    ) async throws -> Outcome {
        .authorization(
            try await authorizations.answer(prepared, session: session, origin: visitor.origin), opened: opened)
    }
}

/// A login token in a client's authorization request.
struct TokenAuthorization: Sendable {
    let token: Secret<String>
    /// The client that asks.
    let website: Client
    let current: WebSession?
    var left: WebSession?
    let tokenSessions: [WebSession]
    /// The user chose to continue as the token's user, in a form of ours.
    let confirmsSwitch: Bool
    let retry: String?
    let origin: RequestOrigin
}

enum TokenAuthorizationOutcome: Sendable {
    case opened(OpenedSession)
    /// The token opened the browser's own session: a reload, or the way back.
    case again(WebSession)
    case switchAccount(current: Subject, proposed: Subject)
    /// The token opened nothing: the request must not ask for the consent that it needs.
    case consentDemanded
    /// The token opened nothing; the reason is in the audit log.
    case refused(RedemptionOutcome.Label)
}

extension TokenAuthorizationOutcome: TracedRedemption {
    init(_ outcome: RedemptionOutcome) {
        self =
            switch outcome {
            case .landed(_, let opened?): .opened(opened)
            case .switchAccount(let current, let proposed): .switchAccount(current: current, proposed: proposed)
            // A double tap opens nothing, so there is nobody to answer for.
            case .landed(_, nil), .confirm, .refused, .limited: .refused(outcome.label)
            }
    }

    var label: RedemptionOutcome.Label {
        switch self {
        case .opened: .opened
        case .again: .repeated
        case .switchAccount: .switchAccount
        case .consentDemanded: .refused
        case .refused(let label): label
        }
    }
}

extension LoginTokenRedeemer {
    /// Redeems for a client's authorization request; single use is shared with every other way (contract §4.5).
    /// - Parameter objection: why the request would not be answered for a session of such a lineage.
    /// - Throws: as ``redeem(_:)``.
    func redeem(
        _ request: TokenAuthorization, objection: @escaping @Sendable (Lineage) async throws -> RedemptionRefusal?
    ) async throws -> TokenAuthorizationOutcome {
        let now = time.now()
        return try await redeeming(request.token, at: now) { verification in
            switch try await read(verification, origin: request.origin, at: now) {
            case .refused(let outcome): return TokenAuthorizationOutcome(outcome)
            case .ours(let claims, let isExpired):
                return try await redeemForRequest(
                    reader.candidate(of: request, claims, isExpired: isExpired, at: now, objection: objection))
            }
        }
    }

    private func redeemForRequest(_ candidate: RedemptionCandidate) async throws -> TokenAuthorizationOutcome {
        let outcome: RedemptionOutcome
        switch try await examiner.examine(candidate).finding {
        case .held(let own): return .again(own)
        case .opened(let opened): return .opened(opened)
        case .passes(let redemption): outcome = try await singleUse.use(redemption, candidate)
        case .refused(let refusal, let cost):
            outcome = try await refuse(refusal, cost, candidate)
            if refusal == .consentDemanded { return .consentDemanded }
        }
        return TokenAuthorizationOutcome(outcome)
    }

    /// Whether a token could be redeemed in a client's authorization request now. Uses nothing up and ends nothing;
    /// what speaks against it goes to the audit log, or tokens could be tried here unseen. It counts against no one:
    /// the network is the website's server, which others' bad tokens must not shut out.
    package func isGood(_ token: Secret<String>, for website: Client, origin: RequestOrigin) async throws -> Bool {
        let now = time.now()
        let verification = try await reader.verify(token, at: now)
        guard
            case .ours(let claims, let isExpired) = try await read(
                verification, origin: origin, at: now, counts: false)
        else { return false }
        let candidate = RedemptionCandidate(
            channel: .pushed, claims: claims, isExpired: isExpired, website: website,
            landing: reader.ownPage, origin: origin, at: now)
        guard let refusal = try await objection(to: candidate) else { return true }
        _ = try await refusals.refuse(refusal, .leaves, candidate)
        return false
    }

    private func objection(to candidate: RedemptionCandidate) async throws -> RedemptionRefusal? {
        switch try await examiner.examine(candidate).finding {
        case .refused(let refusal, _): return refusal
        case .held, .opened, .passes: break
        }
        return try await singleUse.store.refusalOfUse(of: candidate.claims.id)
    }
}
