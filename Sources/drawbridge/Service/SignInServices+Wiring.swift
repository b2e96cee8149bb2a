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
        let storage = ground.storage
        let keys = ground.keys.loginTokens
        let refusals = ground.refusals
        let time = ground.time
        let opener = SessionOpener(sessions: sessions.webSessions, store: storage, clients: ground.clients)
        let secrets = SecondFactorSecrets(master: ground.master)
        let hasher = ground.passwords
        let throttle = SignInThrottle(
            limiter: ground.limiter, limits: ground.limits, refusals: refusals,
            knownBrowsers: KnownBrowsers(master: ground.master))
        let codes = SecondFactorCheck(accounts: storage, secrets: secrets, logger: ground.logger)
        let approvers = PhoneApprovers(ground)
        self.init(
            signIn: SignIn(
                accounts: storage, hasher: hasher, codes: codes, throttle: throttle, opener: opener, refusals: refusals,
                keys: keys, time: time),
            landing: SignInLanding(
                clients: ground.clients, publicOrigin: ground.settings.origins.website,
                adminOrigin: ground.settings.origins.admin, refusals: refusals, time: time),
            authorizations: Authorizations(ground, provider),
            redeemer: loginTokens.redeemer,
            accounts: storage,
            pushedRequests: provider.map { PushedRequests(ground, bearers, $0, loginTokens) },
            upstream: UpstreamServices(ground, sessions, opener),
            secondFactor: SecondFactorEnrolment(
                accounts: storage, secrets: secrets, codes: codes, throttle: throttle, refusals: refusals, keys: keys,
                time: time),
            passkeys: PasskeyServices(ground, opener, throttle),
            selfIssued: SelfIssuedServices(
                ground, sessions, opener, codes, throttle, approvers: provider == nil ? nil : approvers),
            heldForms: ShortLivedSeal(keys: keys, purpose: .heldConsoleForm, time: time),
            postedRequests: ShortLivedSeal(keys: keys, purpose: .postedAuthorizationRequest, time: time),
            phone: provider == nil
                ? nil
                : PhoneSignInServices(ground, opener, loginTokens.handOffs, approvers, throttle.knownBrowsers),
            account: AccountServices(
                storage: storage,
                passwords: PasswordChange(
                    storage: storage, hasher: hasher, throttle: throttle, opener: opener, endings: sessions.endings,
                    refusals: refusals, keys: keys, clients: ground.clients, time: time),
                consents: Consents(store: storage, endings: sessions.endings, time: time)))
    }
}

extension AuthorizationRequestRules {
    fileprivate init(_ ground: Ground, _ provider: ProviderWing?) {
        self.init(issuer: ground.issuer, clients: ground.clients, idTokens: provider?.tokens.idTokens)
    }
}

extension Authorizations {
    fileprivate convenience init(_ ground: Ground, _ provider: ProviderWing?) {
        self.init(
            rules: AuthorizationRequestRules(ground, provider),
            codes: AuthorizationCodes(store: ground.storage, limit: ground.authorizationLimit),
            storage: ground.storage, keys: ground.keys.loginTokens,
            monitor: AuthorizationMonitor(
                memory: ground.shared.reuseMemory, refusals: ground.refusals,
                fullness: ground.shared.reuseMemoryFullness),
            givesDeviceSecrets: { try await provider?.nativeSSO.configuration.current().isEnabled ?? false },
            time: ground.time)
    }
}

extension PushedRequests {
    fileprivate convenience init(
        _ ground: Ground, _ bearers: BearerWing, _ provider: ProviderWing, _ loginTokens: LoginTokenWing
    ) {
        let keys = ground.keys.loginTokens
        let time = ground.time
        self.init(
            rules: AuthorizationRequestRules(ground, provider),
            authenticator: provider.services.endpoints.authenticator, store: ground.storage, proofs: bearers.proofs,
            refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits,
            loginTokens: PushedLoginTokens(keys: keys, time: time) { token, client, origin in
                try await loginTokens.redeemer.isGood(token, for: client, origin: origin)
            }, keys: keys, time: time)
    }
}

extension UpstreamServices {
    /// - Returns: `nil` where no provider is configured.
    fileprivate convenience init?(_ ground: Ground, _ sessions: SessionWing, _ opener: SessionOpener) {
        let time = ground.time
        let providers = ground.settings.upstreamProviders.compactMap {
            OpenIDProvider($0, time: time, logger: ground.logger)
        }
        guard !providers.isEmpty else { return nil }
        self.init(
            signIn: UpstreamSignIn(
                providers: providers, accounts: ground.storage, uses: ground.storage, opener: opener,
                refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits,
                keys: ground.keys.loginTokens, time: time, recorder: ground.recorder),
            signOuts: UpstreamSignOuts(
                providers: providers, sessions: ground.storage, endings: sessions.endings, refusals: ground.refusals,
                time: time))
    }
}

extension PasskeyServices {
    /// - Returns: `nil` where they are off.
    fileprivate convenience init?(_ ground: Ground, _ opener: SessionOpener, _ throttle: SignInThrottle) {
        guard ground.settings.provider.offersPasskeys else { return nil }
        let storage = ground.storage
        let keys = ground.keys.loginTokens
        self.init(
            signIn: PasskeySignIn(
                storage: storage, throttle: throttle, opener: opener, refusals: ground.refusals, keys: keys,
                time: ground.time),
            enrolment: PasskeyEnrolment(storage: storage, refusals: ground.refusals, keys: keys, time: ground.time))
    }
}

extension SelfIssuedServices {
    /// - Parameter approvers: `nil` where there are no apps, and so none that links keys.
    /// - Returns: `nil` where they are off.
    fileprivate convenience init?(
        _ ground: Ground, _ sessions: SessionWing, _ opener: SessionOpener, _ codes: SecondFactorCheck,
        _ throttle: SignInThrottle, approvers: PhoneApprovers?
    ) {
        guard let configuration = ground.settings.selfIssued.configuration else { return nil }
        let keys = ground.keys.loginTokens
        let linkedKeys = LinkedKeys(
            storage: ground.storage, endings: sessions.endings, limiter: ground.limiter, limits: ground.limits,
            refusals: ground.refusals, time: ground.time)
        let linking = configuration.linkingApps.isEmpty ? nil : approvers
        self.init(
            signIn: SelfIssuedSignIn(
                configuration: configuration, transactions: ground.selfIssuedTransactions, linkedKeys: linkedKeys,
                storage: ground.storage, opener: opener, codes: codes, throttle: throttle, ring: keys,
                time: ground.time),
            registration: linking.map {
                KeyRegistration(
                    linkedKeys: linkedKeys, configuration: configuration, approvers: $0, ring: keys, time: ground.time)
            })
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
    /// - Returns: `nil` where they are off.
    fileprivate convenience init?(
        _ ground: Ground, _ opener: SessionOpener, _ handOffs: HandOffs, _ approvers: PhoneApprovers,
        _ knownBrowsers: KnownBrowsers
    ) {
        guard ground.settings.crossDevice.isEnabled else { return nil }
        let storage = ground.storage
        let store = ground.shared.crossDevice ?? storage
        let time = ground.time
        let records = CrossDeviceRecords(store: store, uses: storage, keys: ground.keys.loginTokens, time: time)
        let pages = PhoneSignInRecords(records, master: ground.master)
        let log = CrossDeviceLog(
            audit: storage, refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits)
        self.init(
            signIns: PhoneSignIns(
                records: pages,
                watch: CrossDeviceWatch(
                    store: store, capacity: ground.settings.crossDevice.heldPages, time: time,
                    report: ground.shared.noteWaitingPages),
                approvers: approvers, opener: opener, handOffs: handOffs, log: log, time: time),
            approvals: PhoneApprovals(
                records: pages, approvers: approvers, knownBrowsers: knownBrowsers, accounts: storage, log: log,
                time: time),
            shownCodes: ShownSignInCodes(
                codes: ShownCodeRecords(records, master: ground.master), approvers: approvers, opener: opener,
                handOffs: handOffs, accounts: storage, log: log, time: time))
    }
}
