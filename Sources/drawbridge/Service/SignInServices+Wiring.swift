import Bridge
import BridgeHTTP
import Federation
import Logging

extension SignInServices {
    /// Sign-in and authorization, wired to their stores.
    init(_ ground: Ground, _ sessions: SessionWing, _ bearers: BearerWing, _ provider: ProviderWing?) throws {
        let settings = ground.settings
        let storage = ground.storage
        let clients = ground.clients
        let keys = ground.keys.loginTokens
        let refusals = ground.refusals
        let time = ground.time
        let opener = SessionOpener(sessions: sessions.webSessions, store: storage, clients: clients)
        let providers = settings.upstreamProviders.compactMap { OpenIDProvider($0, time: time, logger: ground.logger) }
        let secrets = SecondFactorSecrets(master: ground.master)
        let desk = try PasswordHasher(cost: settings.provider.passwordCost)
        let throttle = SignInThrottle(
            limiter: ground.limiter, limits: ground.limits, refusals: refusals,
            knownBrowsers: KnownBrowsers(master: ground.master))
        let subjectOfHint: @Sendable (String) -> Subject? = { provider?.tokens.idTokens.read(Secret($0))?.subject }
        self.init(
            signIn: SignIn(
                accounts: storage, desk: desk,
                codes: SecondFactorCheck(accounts: storage, secrets: secrets), throttle: throttle, opener: opener,
                refusals: refusals, keys: keys, time: time),
            landing: SignInLanding(
                clients: clients, publicOrigin: settings.origins.website, adminOrigin: settings.origins.admin,
                refusals: refusals, time: time),
            authorizations: Authorizations(
                issuer: ground.issuer, clients: clients,
                codes: AuthorizationCodes(store: storage, limit: ground.authorizationLimit),
                consents: storage, accounts: storage, pushed: storage, audit: storage, keys: keys,
                watch: AuthorizationMonitor(
                    memory: ground.shared.reuseMemory, refusals: refusals, fullness: ground.shared.reuseMemoryFullness),
                subjectOfHint: subjectOfHint,
                time: time),
            accounts: storage,
            pushedRequests: provider.map {
                PushedRequests(
                    clients: clients, authenticator: $0.services.endpoints.authenticator, store: storage,
                    proofs: bearers.proofs,
                    refusals: refusals, limiter: ground.limiter, limits: ground.limits, subjectOfHint: subjectOfHint,
                    time: time)
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
