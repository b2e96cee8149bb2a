import Bridge
import BridgeHTTP
import Logging

/// The product's rules, wired to their stores: each wing made from the ground and the wings below it.
struct Wings: Sendable {
    let sessions: SessionWing
    let bearers: BearerWing
    let loginTokens: LoginTokenWing
    /// `nil` where Drawbridge only complements another provider.
    let provider: ProviderWing?
    let signIn: SignInServices
    /// Lets the bearers of requests in.
    let gate: BearerGate

    /// - Parameters:
    ///   - verifier: of the trusted issuers' bearers.
    ///   - notices: rung when a session ends.
    ///   - onRedemption: told what comes of each login token that is brought.
    init(
        _ ground: Ground, bearers verifier: any BearerAuthenticator, notices: NoticeBell,
        onRedemption: @escaping @Sendable (RedemptionOutcome.Label) -> Void
    ) throws {
        let sessions = SessionWing(ground, onEnd: { notices.ring() })
        let bearers = BearerWing(ground, sessions, verifier: verifier)
        let loginTokens = LoginTokenWing(ground, sessions, onRedemption: onRedemption)
        if !ground.settings.provider.isEnabled {
            ground.logger.notice("the OAuth provider is off: provider.enabled is false")
        }
        let provider =
            ground.settings.provider.isEnabled ? ProviderWing(ground, sessions, bearers, loginTokens) : nil
        signIn = try SignInServices(ground, sessions, bearers, provider, loginTokens)
        gate = BearerGate(
            authenticator: provider.map { bearers.local($0.tokens.accessTokens) } ?? bearers.issuers,
            constraint: SenderConstraint(proofs: bearers.proofs), clients: ground.clients, limiter: ground.limiter,
            limits: ground.limits, refusals: ground.refusals, time: ground.time)
        self.sessions = sessions
        self.bearers = bearers
        self.loginTokens = loginTokens
        self.provider = provider
    }
}

/// Who users are, and the sessions that they have.
struct SessionWing: Sendable {
    let subjects: Subjects
    /// What userinfo, introspection and the check say of a user.
    let userClaims: RememberedUserClaims
    let parents: ParentSessions
    let webSessions: WebSessions
    let appSessions: AppSessions
    let endings: SessionEndings

    init(_ ground: Ground, onEnd: @escaping @Sendable () -> Void) {
        let storage = ground.storage
        let time = ground.time
        userClaims = RememberedUserClaims(AccountClaims(accounts: storage), time: time)
        subjects = Subjects(store: storage, claims: userClaims, time: time)
        webSessions = WebSessions(
            store: storage, cacheCapacity: ground.settings.sessions.cacheSize, revocations: ground.shared.revocations,
            time: time, logger: ground.logger)
        appSessions = AppSessions(store: storage, webSessions: webSessions, time: time)
        parents = ParentSessions(store: storage, sessions: appSessions, time: time)
        endings = SessionEndings(
            store: storage, webSessions: webSessions, appSessions: appSessions, onEnd: onEnd, time: time)
    }
}

/// Whose bearers are believed, and how they prove that they hold their key.
struct BearerWing: Sendable {
    let proofs: DPoPVerifier
    /// Bearers of the trusted issuers, each believed about its own users.
    let issuers: IssuerBoundary
    private let subjects: Subjects
    private let issuer: String

    init(_ ground: Ground, _ sessions: SessionWing, verifier: any BearerAuthenticator) {
        proofs = DPoPVerifier(
            origins: ground.settings.origins.all, nonces: DPoPNonces(keys: ground.keys.loginTokens),
            replays: ground.shared.replayGuard, requiresNonce: ground.settings.provider.requiresProofNonce,
            time: ground.time)
        issuers = IssuerBoundary(verifier, subjects: sessions.subjects, parents: sessions.parents)
        subjects = sessions.subjects
        issuer = ground.issuer
    }

    /// Bearers of our own provider, and of the trusted issuers.
    func local(_ tokens: AccessTokens) -> LocalBearers {
        LocalBearers(tokens: tokens, subjects: subjects, issuer: issuer, others: issuers)
    }
}

/// Login tokens: who gives them out, and who takes them in.
struct LoginTokenWing: Sendable {
    let codec: LoginTokenCodec
    let issuer: LoginTokenIssuer
    let redeemer: LoginTokenRedeemer
    let handOffs: HandOffs

    init(
        _ ground: Ground, _ sessions: SessionWing, onRedemption: @escaping @Sendable (RedemptionOutcome.Label) -> Void
    ) {
        let settings = ground.settings.loginTokens
        codec = LoginTokenCodec(issuer: ground.issuer, keys: ground.keys.loginTokens, inquiry: ground.keys)
        issuer = LoginTokenIssuer(
            settings: settings, codec: codec, clients: ground.clients, subjects: sessions.subjects,
            parents: sessions.parents, store: ground.storage, limiter: ground.limiter, limits: ground.limits,
            refusals: ground.refusals, time: ground.time)
        handOffs = HandOffs(issuer: issuer, tries: ground.shared.recentTries)
        let attempts = UnconfirmedAttempts(
            store: ground.storage, sessions: sessions.webSessions, keys: ground.keys.loginTokens, time: ground.time)
        let refusals = RedemptionRefusals(
            store: ground.storage, limiter: ground.limiter, limits: ground.limits, log: ground.refusals)
        redeemer = LoginTokenRedeemer(
            reader: RedemptionReader(
                settings: settings, codec: codec, clients: ground.clients, sessions: sessions.webSessions,
                attempts: attempts),
            examiner: RedemptionExaminer(
                clients: ground.clients, parents: sessions.parents, subjects: sessions.subjects, codec: codec,
                attempts: attempts),
            singleUse: SingleUse(
                store: ground.storage, replayGuard: ground.shared.replayGuard, sessions: sessions.webSessions,
                endings: sessions.endings, attempts: attempts, refusals: refusals),
            attempts: attempts, refusals: refusals, time: ground.time, recorder: ground.recorder,
            onOutcome: onRedemption)
    }
}
