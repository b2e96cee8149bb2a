import Bridge
import BridgeHTTP
import Federation
import Logging

extension SignInServices {
    /// Sign-in and authorization, wired to their stores.
    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, shared: SharedState, refusals: RefusalLog,
        sessions: WebSessions, keys: Reloadable<LoginTokenKeyRing>, clients: Reloadable<ClientDirectory>,
        master: MasterKey, proofs: DPoPVerifier, provider: ProviderServices?, logger: Logger,
        time: TimeSource
    ) throws {
        let limits = settings.limits ?? LimitSettings()
        let limiter = shared.limiter
        let opener = SessionOpener(sessions: sessions, store: storage, clients: clients)
        let providers = settings.upstreamProviders.compactMap { OpenIDProvider($0, time: time, logger: logger) }
        let secrets = SecondFactorSecrets(master: master)
        let desk = try PasswordDesk(cost: settings.passwordCost)
        let throttle = SignInThrottle(
            limiter: limiter, limits: limits, refusals: refusals,
            knownBrowsers: KnownBrowsers(master: master))
        let subjectOfHint: @Sendable (String) -> Subject? = { provider?.idTokens.read(Secret($0))?.subject }
        self.init(
            signIn: SignIn(
                accounts: storage, desk: desk,
                codes: SecondFactorCheck(accounts: storage, secrets: secrets), throttle: throttle, opener: opener,
                refusals: refusals, keys: keys, time: time),
            landing: SignInLanding(
                clients: clients, publicOrigin: settings.publicOrigin, adminOrigin: settings.origins.admin,
                refusals: refusals, time: time),
            authorizations: Authorizations(
                issuer: settings.issuer.description, clients: clients,
                codes: AuthorizationCodes(
                    store: storage,
                    limit: UserLimit(
                        scope: "authorize.subject", bucket: limits.authorizationPerSubject, limiter: limiter,
                        refusals: refusals)),
                consents: storage, accounts: storage, pushed: storage, audit: storage, keys: keys,
                watch: AuthorizationWatch(
                    memory: shared.reuseMemory, refusals: refusals, fullness: shared.reuseMemoryFullness),
                subjectOfHint: subjectOfHint,
                time: time),
            accounts: storage,
            pushedRequests: provider.map {
                PushedRequests(
                    clients: clients, authenticator: $0.endpoints.authenticator, store: storage, proofs: proofs,
                    refusals: refusals, limiter: limiter, limits: limits, subjectOfHint: subjectOfHint, time: time)
            },
            upstream: providers.isEmpty
                ? nil
                : UpstreamSignIn(
                    providers: providers, accounts: storage, opener: opener, refusals: refusals, keys: keys,
                    time: time),
            secondFactor: SecondFactorEnrolment(
                accounts: storage, secrets: secrets, desk: desk, throttle: throttle, refusals: refusals, keys: keys,
                time: time),
            heldForms: ShortLivedSeal(keys: keys, purpose: "held console form", time: time))
    }
}
