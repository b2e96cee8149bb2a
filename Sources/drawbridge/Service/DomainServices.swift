import Bridge
import BridgeHTTP
import Logging

/// The product's own rules, wired to their stores.
struct DomainServices: Sendable {
    let issuer: LoginTokenIssuer
    let redeemer: LoginTokenRedeemer
    let sessions: WebSessions
    let appSessions: AppSessions
    let endings: SessionEndings
    let bearers: BearerGate
    let signIn: SignInServices
    let provider: ProviderComposition?
    let codec: LoginTokenCodec
    let parents: ParentSessions
    let refusals: RefusalLog
    let proofs: DPoPVerifier
    /// Bearers of the trusted issuers, each believed about its own users.
    let issuers: IssuerBoundary

    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, shared: SharedState,
        keys: SigningKeys, master: MasterKey,
        clients: Reloadable<ClientDirectory>, bearers verifier: any BearerAuthenticator, notices: NoticeBell,
        logger: Logger, time: TimeSource
    ) async throws {
        let limits = settings.limits ?? LimitSettings()
        let limiter = shared.limiter
        let tokens = LoginTokenSettings(
            publicOrigin: settings.publicOrigin, issuer: settings.issuer,
            redemptionPath: settings.redemptionPaths[0],
            defaultLifetime: settings.loginTokenLifetime)
        proofs = DPoPVerifier(
            origins: settings.origins.all, nonces: DPoPNonces(keys: keys.loginTokens),
            replays: shared.replayGuard,
            requiresNonce: settings.requiresProofNonce, time: time)
        codec = LoginTokenCodec(
            issuer: settings.issuer.description, keys: keys.loginTokens, inquiry: keys)
        let subjects = Subjects(store: storage, time: time)
        parents = ParentSessions(store: storage, time: time)
        let authenticator = IssuerBoundary(verifier, subjects: subjects, parents: parents)
        issuers = authenticator
        // Its own limiter, never lifted: it bounds how much the audit log grows, not what users may do.
        refusals = RefusalLog(
            audit: storage, limiter: InProcessRateLimiter(capacity: settings.trackedLimitKeys, clock: .uptime(time)),
            ceiling: RefusalCeiling(perSecond: settings.auditedRefusalsPerSecond, clock: .uptime(time)))
        sessions = WebSessions(
            store: storage, cacheCapacity: settings.sessionCacheSize, revocations: shared.revocations, time: time,
            logger: logger)
        appSessions = AppSessions(store: storage, webSessions: sessions, time: time)
        endings = SessionEndings(
            store: storage, webSessions: sessions, appSessions: appSessions, onEnd: { notices.ring() })
        issuer = LoginTokenIssuer(
            settings: tokens, codec: codec, clients: clients, subjects: subjects, parents: parents, store: storage,
            limiter: limiter, limits: limits, refusals: refusals, time: time)
        redeemer = LoginTokenRedeemer(
            settings: tokens, codec: codec, clients: clients, subjects: subjects, parents: parents, store: storage,
            sessions: sessions, endings: endings, replayGuard: shared.replayGuard,
            refusals: RedemptionRefusals(limiter: limiter, limits: limits, log: refusals), keys: keys.loginTokens,
            time: time)
        if !settings.isProvider { logger.notice("the OAuth provider is off: provider.enabled is false") }
        let surroundings = ProviderComposition.Surroundings(
            settings: settings, storage: storage, shared: shared, sessions: sessions, appSessions: appSessions,
            endings: endings, clients: clients, refusals: refusals, subjects: subjects, issuer: issuer,
            redeemer: redeemer, proofs: proofs, authenticator: authenticator, logger: logger, time: time)
        let provider = settings.isProvider ? ProviderComposition(surroundings, keys: keys, master: master) : nil
        self.provider = provider
        signIn = try SignInServices(
            settings: settings, storage: storage, shared: shared, refusals: refusals, sessions: sessions,
            keys: keys.loginTokens, clients: clients, master: master, proofs: proofs,
            provider: provider?.services, logger: logger, time: time)
        bearers = BearerGate(
            authenticator: provider.map {
                LocalBearers(
                    tokens: $0.accessTokens, issuer: settings.issuer.description, others: authenticator)
            } ?? authenticator,
            constraint: SenderConstraint(proofs: proofs), limiter: limiter, limits: limits, refusals: refusals,
            time: time)
    }
}
