import Bridge
import BridgeHTTP
import Logging

/// The product's own rules, wired to their stores.
struct DomainServices: Sendable {
    let issuer: LoginTokenIssuer
    let redeemer: LoginTokenRedeemer
    let sessions: WebSessions
    let bearers: BearerGate
    let signIn: SignInServices

    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, shared: SharedState,
        keys: Reloadable<LoginTokenKeyRing>,
        clients: Reloadable<ClientDirectory>, bearers authenticator: any BearerAuthenticator, logger: Logger,
        time: TimeSource
    ) throws {
        let limits = settings.limits ?? LimitSettings()
        let limiter = shared.limiter
        let tokens = LoginTokenSettings(
            publicOrigin: settings.publicOrigin, redemptionPath: settings.redemptionPaths[0],
            defaultLifetime: settings.loginTokenLifetime)
        let codec = LoginTokenCodec(issuer: settings.publicOrigin.description, keys: keys)
        let subjects = Subjects(store: storage)
        let parents = ParentSessions(store: storage)
        // Its own limiter, never lifted: it bounds how much the audit log grows, not what users may do.
        let refusals = RefusalLog(audit: storage, limiter: InProcessRateLimiter(capacity: settings.trackedLimitKeys))
        sessions = WebSessions(
            store: storage, cacheCapacity: settings.sessionCacheSize, revocations: shared.revocations, time: time,
            logger: logger)
        signIn = try SignInServices(
            settings: settings, storage: storage, limiter: limiter, refusals: refusals, sessions: sessions, keys: keys,
            clients: clients, secrets: nil, subjectOfHint: { _ in nil }, time: time)
        issuer = LoginTokenIssuer(
            settings: tokens, codec: codec, clients: clients, subjects: subjects, parents: parents, store: storage,
            limiter: limiter, limits: limits, refusals: refusals, time: time)
        redeemer = LoginTokenRedeemer(
            settings: tokens, codec: codec, clients: clients, subjects: subjects, parents: parents, store: storage,
            sessions: sessions, replayGuard: shared.replayGuard,
            refusals: RedemptionRefusals(audit: storage, limiter: limiter, limits: limits, log: refusals), time: time)
        bearers = BearerGate(
            authenticator: authenticator, limiter: limiter, limits: limits, refusals: refusals, time: time)
    }
}
