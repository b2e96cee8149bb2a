import Bridge
import BridgeHTTP
import Federation
import Logging

extension SignInServices {
    /// Sign-in and authorization, wired to their stores.
    convenience init(
        _ ground: Ground, _ sessions: SessionWing, _ bearers: BearerWing, _ provider: ProviderWing?,
        _ loginTokens: LoginTokenWing
    ) throws {
        let settings = ground.settings
        let storage = ground.storage
        let clients = ground.clients
        let keys = ground.keys.loginTokens
        let refusals = ground.refusals
        let time = ground.time
        let opener = SessionOpener(sessions: sessions.webSessions, store: storage, clients: clients)
        let providers = settings.upstreamProviders.compactMap { OpenIDProvider($0, time: time, logger: ground.logger) }
        let secrets = SecondFactorSecrets(master: ground.master)
        let hasher = PasswordHasher(cost: settings.provider.passwordCost)
        let throttle = SignInThrottle(
            limiter: ground.limiter, limits: ground.limits, refusals: refusals,
            knownBrowsers: KnownBrowsers(master: ground.master))
        let codes = SecondFactorCheck(accounts: storage, secrets: secrets)
        let subjectOfHint: @Sendable (String) -> Subject? = { provider?.tokens.idTokens.read(Secret($0))?.subject }
        let selfIssued = settings.selfIssued.configuration.map { configuration in
            SelfIssuedSignIn(
                configuration: configuration, transactions: ground.selfIssuedTransactions, keys: storage,
                opener: opener, codes: codes, throttle: throttle, endings: sessions.endings,
                limiter: ground.limiter, limits: ground.limits, refusals: refusals, ring: keys, time: time)
        }
        let linksKeys = provider != nil && selfIssued?.configuration.linkingApps.isEmpty == false
        self.init(
            signIn: SignIn(
                accounts: storage, hasher: hasher,
                codes: codes, throttle: throttle, opener: opener,
                refusals: refusals, keys: keys, time: time),
            landing: SignInLanding(
                clients: clients, publicOrigin: settings.origins.website, adminOrigin: settings.origins.admin,
                refusals: refusals, time: time),
            authorizations: Authorizations(
                issuer: ground.issuer, clients: clients,
                codes: AuthorizationCodes(store: storage, limit: ground.authorizationLimit),
                consents: storage, accounts: storage, pushed: storage, audit: storage, keys: keys,
                monitor: AuthorizationMonitor(
                    memory: ground.shared.reuseMemory, refusals: refusals, fullness: ground.shared.reuseMemoryFullness),
                givesDeviceSecrets: { try await provider?.nativeSSO.configuration.current().isEnabled ?? false },
                subjectOfHint: subjectOfHint,
                time: time),
            redeemer: loginTokens.redeemer,
            accounts: storage,
            pushedRequests: provider.map {
                PushedRequests(
                    issuer: ground.issuer, clients: clients,
                    authenticator: $0.services.endpoints.authenticator, store: storage, proofs: bearers.proofs,
                    refusals: refusals, limiter: ground.limiter, limits: ground.limits,
                    loginTokens: PushedLoginTokens(keys: keys, time: time) { token, client, origin in
                        try await loginTokens.redeemer.isGood(token, for: client, origin: origin)
                    }, subjectOfHint: subjectOfHint,
                    time: time)
            },
            upstream: providers.isEmpty
                ? nil
                : UpstreamSignIn(
                    providers: providers, accounts: storage, opener: opener, refusals: refusals, keys: keys,
                    time: time, recorder: ground.recorder),
            upstreamSignOuts: providers.isEmpty
                ? nil
                : UpstreamSignOuts(
                    providers: providers, sessions: storage, endings: sessions.endings, refusals: refusals, time: time),
            secondFactor: SecondFactorEnrolment(
                accounts: storage, secrets: secrets, hasher: hasher, throttle: throttle, refusals: refusals, keys: keys,
                time: time),
            passkeys: settings.provider.offersPasskeys
                ? PasskeyServices(
                    signIn: PasskeySignIn(
                        storage: storage, throttle: throttle, opener: opener, refusals: refusals, keys: keys,
                        time: time),
                    enrolment: PasskeyEnrolment(storage: storage, refusals: refusals, keys: keys, time: time)) : nil,
            selfIssued: selfIssued,
            keyRegistration: linksKeys
                ? selfIssued.map { KeyRegistration(phone: $0, approvers: PhoneApprovers(ground), ring: keys) } : nil,
            heldForms: ShortLivedSeal(keys: keys, purpose: "held console form", time: time),
            phone: settings.crossDevice.isEnabled && provider != nil ? PhoneSignInServices(ground, opener) : nil,
            account: AccountServices(
                storage: storage,
                passwords: PasswordChange(
                    storage: storage, hasher: hasher, throttle: throttle, opener: opener, endings: sessions.endings,
                    refusals: refusals, keys: keys, time: time)))
    }
}

extension PhoneApprovers {
    fileprivate convenience init(_ ground: Ground) {
        self.init(
            apps: ground.storage, clients: ground.clients, limits: ground.limits, limiter: ground.limiter,
            refusals: ground.refusals, requiresSameNetwork: ground.settings.crossDevice.requiresSameNetwork)
    }
}

extension PhoneSignInServices {
    /// Sign-ins across devices, kept where all nodes see them.
    fileprivate convenience init(_ ground: Ground, _ opener: SessionOpener) {
        let storage = ground.storage
        let store = ground.shared.crossDevice ?? storage
        let time = ground.time
        let records = CrossDeviceRecords(store: store, uses: storage, keys: ground.keys.loginTokens, time: time)
        let pages = PhoneSignInRecords(records, master: ground.master)
        let approvers = PhoneApprovers(ground)
        let log = CrossDeviceLog(
            audit: storage, refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits)
        self.init(
            signIns: PhoneSignIns(
                records: pages,
                watch: CrossDeviceWatch(
                    store: store, capacity: ground.settings.crossDevice.heldPages, time: time,
                    report: ground.shared.noteWaitingPages),
                approvers: approvers, opener: opener, log: log, time: time),
            approvals: PhoneApprovals(
                records: pages, approvers: approvers, knownBrowsers: KnownBrowsers(master: ground.master), log: log,
                time: time),
            shownCodes: ShownSignInCodes(
                codes: ShownCodeRecords(records, master: ground.master), approvers: approvers, opener: opener,
                accounts: storage, log: log, time: time))
    }
}
