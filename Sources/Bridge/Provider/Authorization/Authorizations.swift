package import OAuth2

/// Answers authorization requests: reads, decides, performs.
package final class Authorizations: Sendable {
    /// How long a user may take over all pages together.
    package static let journeyLifetime = Duration.seconds(1800)

    /// What users agreed to, their accounts, what was pushed, and what is written down.
    package typealias Storage = GrantStore & UserStore & RequestStore & AuditLog

    private let rules: AuthorizationRequestRules
    private let codes: AuthorizationCodes
    private let storage: any Storage
    private let seal: ShortLivedSeal
    private let pushedTokens: PushedTokenSeal
    private let pushedHints: PushedHints
    private let monitor: AuthorizationMonitor
    /// Whether an app with the scope for it gets a device secret now.
    private let givesDeviceSecrets: @Sendable () async throws -> Bool
    private let time: TimeSource

    package init(
        rules: AuthorizationRequestRules, codes: AuthorizationCodes, storage: any Storage,
        keys: Reloadable<SecretKeyRing>, monitor: AuthorizationMonitor,
        givesDeviceSecrets: @escaping @Sendable () async throws -> Bool, time: TimeSource
    ) {
        self.rules = rules
        self.codes = codes
        self.storage = storage
        seal = ShortLivedSeal(keys: keys, purpose: .authorizationJourney, time: time)
        pushedTokens = PushedTokenSeal(.pushedLoginToken, keys: keys, time: time)
        pushedHints = PushedHints(keys: keys, time: time)
        self.monitor = monitor
        self.givesDeviceSecrets = givesDeviceSecrets
        self.time = time
    }

    /// Decides a request as it comes from the client, as far as that goes without knowing who is signed in.
    /// - Parameters:
    ///   - browser: the browser's form binding.
    ///   - isEmbedded: whether it looks like the web view of an app.
    package func prepare(
        _ parameters: FormParameters, browser: OpaqueSecret, isEmbedded: Bool, origin: RequestOrigin
    ) async throws -> PreparedAuthorization {
        let found = try await lookUp(parameters)
        let counted = if case .found(let inner) = found.pushed { inner } else { parameters }
        try await rules.learnKey(ofHintIn: counted)
        let reading = rules.reader.read(parameters, pushed: found.pushed)
        if case .failure(let refusal) = reading {
            let named = parameters["client_id"].flatMap { rules.clients.current[ClientID(rawValue: $0)] }
            try await monitor.refused(refusal, parameters, client: named?.id, origin: origin, at: time.now())
        }
        if isEmbedded, case .success(let request) = reading {
            try await monitor.embedded(request, origin: origin, at: time.now())
            if request.client.blocksWebViews {
                return PreparedAuthorization(
                    reading: .failure(.page(.accessDenied, .embeddedBrowser)), journey: journey(found, browser),
                    loginToken: nil)
            }
        }
        return PreparedAuthorization(
            reading: reading, journey: journey(found, browser), loginToken: loginToken(parameters, found.pushed))
    }

    private func journey(_ found: FoundParameters, _ browser: OpaqueSecret) -> AuthorizationJourney {
        AuthorizationJourney(
            parameters: found.text, pushed: found.reference, demandedAt: nil, browserDigest: browser.digest, asked: nil)
    }

    /// The request of a page that asked something, with the login token that it brought.
    package func prepare(
        resuming journey: String, loginToken: Secret<String>, browser: OpaqueSecret
    ) -> PreparedAuthorization? {
        guard let (journey, reading) = open(journey, browser: browser) else { return nil }
        return PreparedAuthorization(reading: reading, journey: journey, loginToken: loginToken)
    }

    /// Answers a prepared request for the user of this session.
    package func answer(
        _ prepared: PreparedAuthorization, session: WebSession?, origin: RequestOrigin
    ) async throws -> AuthorizationOutcome {
        try await answer(to: prepared.reading, prepared.journey, session: session, origin: origin)
    }

    /// What a website's request would come to in the session that a login token opens.
    func decide(_ request: AuthorizationRequest, for lineage: Lineage) async throws -> AuthorizationDecision {
        // No user has signed in yet, so a stronger sign-in than the token's can still be had (contract §4.5).
        guard request.fulfilsWish(lineage.authentication) else { return .signIn }
        let facts = AuthorizationDecision.Facts(
            session: lineage,
            // A token opens its own website.
            reachesClient: true,
            consented: try await storage.consent(of: lineage.subject, to: request.client.id), now: time.now())
        return AuthorizationDecision.decide(request, facts)
    }

    /// The answer to a request that would have to ask for consent and must not show a page.
    func consentRequired(_ request: AuthorizationRequest) -> AuthorizationOutcome {
        request.answer.outcome(of: .consentRequired, AuthorizationDecision.consentNeeded, issuer: issuer)
    }

    /// A prepared request, to come back to after a page.
    package func keep(_ prepared: PreparedAuthorization) throws -> String {
        try sealed(prepared.journey, demandedAt: prepared.journey.demandedAt, asked: nil)
    }

    /// The token of a request: its own, or, for a pushed request, only the one that was pushed with it.
    private func loginToken(
        _ parameters: FormParameters, _ pushed: AuthorizationRequestReader.Pushed
    ) -> Secret<String>? {
        switch pushed {
        case .none: return parameters[AuthorizationParameter.loginToken].map { Secret($0) }
        case .unusable: return nil
        case .found(let inner):
            return inner[AuthorizationParameter.loginToken].flatMap {
                pushedTokens.open($0, for: inner["client_id"] ?? "")
            }
        }
    }

    /// A request that comes back from the sign-in page.
    package func resume(
        _ journey: String, browser: OpaqueSecret, session: WebSession?, origin: RequestOrigin
    ) async throws -> AuthorizationOutcome {
        guard let (journey, reading) = open(journey, browser: browser) else { return .stale }
        return try await answer(to: reading, journey, session: session, origin: origin)
    }

    /// The answer of the consent page's form.
    package func settle(
        _ journey: String, agreed: Bool, browser: OpaqueSecret, session: WebSession?, origin: RequestOrigin
    ) async throws -> AuthorizationOutcome {
        guard let (journey, reading) = open(journey, browser: browser) else { return .stale }
        // Another account in the other tab: it has not said anything yet.
        guard let session, let asked = journey.asked, asked == session.subject else {
            return try await answer(to: reading, journey, session: session, origin: origin)
        }
        guard case .success(let request) = reading, !agreed else {
            return try await answer(to: reading, journey, session: session, agreed: agreed, origin: origin)
        }
        let now = time.now()
        guard try await admission(of: asked, for: request, origin: origin, at: now) != nil else {
            return tooMany(request)
        }
        try await storage.append([request.consentEvent(.consentDenied, session, origin: origin, at: now)])
        return request.answer.outcome(of: .accessDenied, "the user declined", issuer: issuer)
    }

    /// The request that a sign-in page is shown for; `nil` when it cannot go on.
    package func request(of journey: String, browser: OpaqueSecret) -> AuthorizationRequest? {
        try? open(journey, browser: browser)?.reading.get()
    }

    /// Whether a request came by this very browser, and can go on.
    package func began(_ journey: String, in browser: OpaqueSecret) -> Bool {
        unsealed(journey)?.isOf(browser) == true && request(of: journey, browser: browser) != nil
    }

    private var issuer: String { rules.issuer }

    func open(
        _ text: String, browser: OpaqueSecret
    ) -> (journey: AuthorizationJourney, reading: Result<AuthorizationRequest, AuthorizationRefusal>)? {
        guard let opened = unsealed(text), let parameters = try? FormParameters(parsing: opened.parameters.utf8)
        else { return nil }
        let isSameBrowser = opened.isOf(browser)
        let journey = AuthorizationJourney(
            parameters: opened.parameters, pushed: opened.pushed,
            demandedAt: isSameBrowser ? opened.demandedAt : nil, browserDigest: browser.digest,
            asked: isSameBrowser ? opened.asked : nil, shown: opened.shown)
        return (journey, rules.reader.read(parameters, pushed: .found(parameters)))
    }

    private func unsealed(_ text: String) -> AuthorizationJourney? {
        seal.open(text).flatMap { AuthorizationJourney($0, at: time.now()) }
    }

    private func answer(
        to reading: Result<AuthorizationRequest, AuthorizationRefusal>, _ journey: AuthorizationJourney,
        session: WebSession?, agreed: Bool = false, origin: RequestOrigin
    ) async throws -> AuthorizationOutcome {
        let request: AuthorizationRequest
        switch reading {
        case .success(let good):
            request = good.granting(
                givesDeviceSecrets: try await givesDeviceSecrets(), shown: agreed ? journey.shown : nil)
        case .failure(.page(let code, let problem)): return .page(code, problem)
        case .failure(.redirect(let answer, let code, let description)):
            return answer.outcome(of: code, description, issuer: issuer)
        }
        let now = time.now()
        // As the reader refuses it, but only here is it known whether device secrets are given.
        guard !request.scope.isEmpty else {
            let problem = AuthorizationRequestReader.noScope
            try await monitor.refused(
                .invalidScope, problem, of: session?.subject, client: request.client.id, origin: origin, at: now)
            return request.answer.outcome(of: .invalidScope, problem, issuer: issuer)
        }
        let consented: Set<String>? =
            if let session { try await storage.consent(of: session.subject, to: request.client.id) } else { nil }
        let facts = AuthorizationDecision.Facts(
            session: session?.lineage,
            reachesClient: session?.reaches(request.client, in: rules.clients.current) ?? false,
            hasSecondFactor: try await hasSecondFactor(session, for: request), demandedAt: journey.demandedAt,
            consented: consented, agreed: agreed, now: now)
        switch (AuthorizationDecision.decide(request, facts), session) {
        case (.refuse(let code, let description), _):
            // `login_required` and the like are the answers that `prompt=none` asks for.
            if code == .accessDenied {
                try await monitor.refused(
                    RefusalReason.tooWeak.rawValue, of: session?.subject, client: request.client.id, origin: origin,
                    at: now)
            }
            return request.answer.outcome(of: code, description, issuer: issuer)
        case (.askConsent, let session?):
            let request = request.limited(to: session.lineage)
            let page = try sealed(
                journey, demandedAt: journey.demandedAt, asked: session.subject, shown: request.consentScope)
            return .askConsent(journey: page, request, session.subject)
        case (.issueCode, let session?):
            return try await issue(
                request.limited(to: session.lineage), journey, session, agreed: agreed, origin: origin, at: now)
        case (.signIn, _), (.askConsent, nil), (.issueCode, nil):
            return .signIn(journey: try sealed(journey, demandedAt: now, asked: nil), request)
        }
    }

    private func issue(
        _ request: AuthorizationRequest, _ journey: AuthorizationJourney, _ session: WebSession, agreed: Bool,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> AuthorizationOutcome {
        guard let admission = try await admission(of: session.subject, for: request, origin: origin, at: now) else {
            return tooMany(request)
        }
        if let pushed = journey.pushed, try await !isUsedHere(pushed, at: now) {
            try await monitor.refused(
                AuthorizationRefusal.Reason.unusableRequestURI.rawValue, of: session.subject,
                client: request.client.id, origin: origin, at: now)
            return .page(.invalidRequestURI, .unusableRequestURI)
        }
        // Last, so that only what gets its code takes room in the memory.
        let reused = try await monitor.reused(request, origin: origin, at: now)
        if let reused, request.client.rejectsReusedChallenge {
            return request.answer.outcome(of: .invalidRequest, "\(reused) was used before", issuer: issuer)
        }
        if agreed { try await remember(request, session, origin: origin, at: now) }
        let issued = try await codes.issue(
            AuthorizationGrant(
                clientID: request.client.id, redirectURI: request.redirectURI, codeChallenge: request.codeChallenge,
                nonce: request.nonce, scope: request.scope, subject: session.subject,
                authentication: session.authentication, browserSessionID: session.id,
                requestedClaims: request.requestedClaims, proofKeyThumbprint: request.proofKeyThumbprint),
            admission, origin: origin, at: now)
        // Signed out elsewhere in this very moment.
        guard let code = issued else {
            let isUsedUp = journey.pushed != nil || request.client.rejectsReusedChallenge
            guard !isUsedUp, !request.prompts.contains(.none) else {
                return request.answer.outcome(of: .loginRequired, "the user is not signed in", issuer: issuer)
            }
            return .signIn(journey: try sealed(journey, demandedAt: now, asked: nil), request)
        }
        return request.answer.outcome([(name: "code", value: code.expose())], issuer: issuer)
    }

    /// Whether it is this answer that uses the pushed request up.
    private func isUsedHere(_ request: PushedRequestReference, at now: Timestamp) async throws -> Bool {
        guard now < request.answerableUntil else { return false }
        return try await storage.consumePushedRequest(
            digest: request.digest, pushedAfter: request.pushedAt, until: request.answerableUntil, at: now)
    }

    /// - Returns: `nil` when the user had too many.
    private func admission(
        of subject: Subject, for request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp
    ) async throws -> AuthorizationCodes.Admission? {
        do {
            return try await codes.admit(subject, client: request.client.id, origin: origin, at: now)
        } catch let error as OAuthError where error.code == .rateLimited {
            return nil
        }
    }

    private func tooMany(_ request: AuthorizationRequest) -> AuthorizationOutcome {
        request.answer.outcome(
            of: .temporarilyUnavailable, "too many authorizations of this user; try again later", issuer: issuer)
    }

    /// Keeps the consent where the redirect tells apps apart (RFC 8252 §8.6), of a sign-in of the user's own: another
    /// session may be in the hands of the very website that is asked about, and what is said there must not count in
    /// the user's sign-ins (contract §16.3). Elsewhere the event alone is kept.
    private func remember(
        _ request: AuthorizationRequest, _ session: WebSession, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        let event = request.consentEvent(.consentGranted, session, origin: origin, at: now)
        guard request.redirectKind == .https, session.isOwnSignIn else { return try await storage.append([event]) }
        try await storage.rememberConsent(
            of: session.subject, to: request.client.id, scopes: Set(request.consentScope.tokens), at: now, event: event)
    }

    private func sealed(
        _ journey: AuthorizationJourney, demandedAt: Timestamp?, asked: Subject?, shown: Scope? = nil
    ) throws -> String {
        let next = AuthorizationJourney(
            parameters: journey.parameters, pushed: journey.pushed, demandedAt: demandedAt,
            browserDigest: journey.browserDigest, asked: asked, shown: shown)
        return try seal.seal(next.text, lifetime: Self.journeyLifetime)
    }
}

extension Authorizations {
    /// The parameters that a request stands for: its own, or those that it pushed ahead (RFC 9126 §4).
    func lookUp(_ parameters: FormParameters) async throws -> FoundParameters {
        let prefix = AuthorizationRequestReader.requestURIPrefix
        guard let uri = parameters["request_uri"], uri.hasPrefix(prefix) else {
            return FoundParameters(pushed: .none, text: AuthorizationParameter.serialize(parameters), reference: nil)
        }
        guard let secret = OpaqueSecret(String(uri.dropFirst(prefix.count)), kind: .pushedRequest),
            let found = try await storage.pushedRequest(digest: secret.digest), found.usedAt == nil,
            time.now() < found.expiresAt, found.clientID == parameters["client_id"].map(ClientID.init(rawValue:)),
            let inner = try? FormParameters(parsing: pushedHints.opened(found.parameters, for: found.clientID).utf8)
        else { return FoundParameters(pushed: .unusable, text: "", reference: nil) }
        return FoundParameters(
            pushed: .found(inner), text: AuthorizationParameter.serialize(inner),
            reference: PushedRequestReference(digest: found.digest, expiresAt: found.expiresAt))
    }

    /// What the browser's session lacks for the request that a sign-in page is shown for.
    package func missing(
        for journey: String, browser: OpaqueSecret, session: WebSession
    ) async throws -> MissingProof {
        guard let (journey, reading) = open(journey, browser: browser), case .success(let request) = reading else {
            return .everything
        }
        let account = try await storage.account(of: session.subject)
        return MissingProof.find(
            request,
            .init(session: session, account: account, demandedAt: journey.demandedAt, now: time.now()))
    }

    /// Whether a sign-in of the user's own is not what the request asks for that a sign-in page is shown for. One that
    /// has its answer already, cannot go on or has the user choose an account finds nothing wrong with a sign-in.
    package func fallsShort(
        _ session: WebSession, of journey: String, browser: OpaqueSecret
    ) async throws -> Bool {
        guard let (journey, reading) = open(journey, browser: browser), case .success(let request) = reading,
            !request.prompts.contains(.selectAccount)
        else { return false }
        let facts = AuthorizationDecision.Facts(
            session: session.lineage, reachesClient: session.reaches(request.client, in: rules.clients.current),
            hasSecondFactor: try await hasSecondFactor(session, for: request),
            demandedAt: journey.demandedAt, now: time.now())
        return AuthorizationDecision.decide(request, facts) == .signIn
    }

    /// Asks the store only where the answer matters.
    func hasSecondFactor(_ session: WebSession?, for request: AuthorizationRequest) async throws -> Bool {
        guard let session,
            !request.acceptsStrength(of: session.authentication)
                || request.wishesForSecondFactor(beyond: session.authentication)
        else { return false }
        return try await storage.account(of: session.subject)?.secondFactor != nil
    }
}

/// An authorization request that was read, before looking at who is signed in.
package struct PreparedAuthorization: Sendable {
    let reading: Result<AuthorizationRequest, AuthorizationRefusal>
    let journey: AuthorizationJourney
    /// What came with it to sign its user in (contract §4.5); not yet verified.
    package let loginToken: Secret<String>?

    /// `nil` when something is wrong with it.
    package var request: AuthorizationRequest? { try? reading.get() }
}
