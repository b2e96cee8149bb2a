import Bridge
import CoreMetrics
import HTTPTypes
package import Hummingbird

/// All routes.
/// - Parameters:
///   - frontPage: whether `/` is ours, and not one of the other part's pages.
///   - beside: pages of the other part, to be got alone, whose paths are one of ours with a slash at its end.
///   - extraRoutes: adds another part's pages under the same middleware, such as the demo site's.
package func buildRouter(
    services: BridgeServices, settings: BridgeHTTPSettings, frontPage: Bool = true,
    beside: [String: Handler] = [:], extraRoutes: (Endpoints) -> Void = { _ in }
) -> Router<BridgeRequestContext> {
    let router = Router(context: BridgeRequestContext.self)
    let kit = services.browserPages(at: settings.origins)
    let endpoints = Endpoints(
        router: router, origins: kit.origins, unknownHosts: UnknownHosts(origins: kit.origins, time: kit.time),
        slashSiblings: beside)
    let isCompatible = services.provider != nil && services.device?.compatibility != nil
    let flow = SignInFlow(kit: kit, services: services.signIn, namedForms: RouteTable.namedForms)
    let admin = services.admin.recognizing(kit.browsers)
    let console = ConsoleFrame(
        kit: kit, services: admin, flow: flow, device: services.device,
        isPage: { RouteTable.repetition(of: $0) != .never })
    router.add(middleware: FrontMiddleware(services: services, settings: settings, console: console))

    services.loginTokens.mount(
        on: endpoints, at: settings.redemptionPaths, flow: flow, accounts: services.signIn.accounts)
    services.browsers.mount(
        on: endpoints, settings: settings, kit: kit, users: services.provider?.users ?? NoUserClaims(),
        answersLeadTo: services.signIn.selfIssued?.signIn.configuration.returnPath)
    services.signIn.mount(
        on: endpoints, flow: flow, frontDoor: isCompatible ? SignInCompatibility.authorizePath : nil,
        bearers: services.loginTokens.bearers, offersDevices: services.device != nil, metrics: services.front.metrics)
    services.provider?.mount(
        on: endpoints, bearers: services.loginTokens.bearers, nativeSSO: services.device?.configuration,
        pushedRequests: services.signIn.pushedRequests, kit: kit)
    services.provider?.mountDevices(
        on: endpoints, kit: kit, accounts: services.signIn.accounts,
        metrics: DeviceGrantMetrics(factory: services.front.metrics))
    let explanations = Explanations(
        services: admin, bearers: services.loginTokens.bearers, issuer: services.loginTokens.issuer,
        selfIssued: services.signIn.selfIssued?.signIn.configuration, phones: services.signIn.phone?.approvals,
        provider: services.provider, device: services.device)
    admin.mount(on: endpoints, device: services.device, explanations: explanations, random: kit.random)
    console.mount(on: endpoints, explanations: explanations, passwords: services.signIn.account.passwords)
    services.device?.mount(on: endpoints, services: services, kit: kit)
    if frontPage { endpoints.mount(FrontPageController(origins: kit.origins)) }
    extraRoutes(endpoints)
    return router
}

extension LoginTokenServices {
    fileprivate func mount(
        on endpoints: Endpoints, at paths: [String], flow: SignInFlow, accounts: any UserStore
    ) {
        endpoints.mount(IssueController(issuer: issuer, overview: overview, bearers: bearers))
        let redemption = RedemptionController(kit: flow.kit, redeemer: redeemer, accounts: accounts)
        for path in paths { endpoints.mount(redemption, at: path) }
        endpoints.mount(HandOffController(handOffs: handOffs, flow: flow))
    }
}

extension BrowserServices {
    /// - Parameter returnPath: where phones' answers come back to, which an app must not catch either.
    fileprivate func mount(
        on endpoints: Endpoints, settings: BridgeHTTPSettings, kit: BrowserPages, users: any UserClaimsSource,
        answersLeadTo returnPath: String?
    ) {
        let way = SignInWay(clients: kit.clients, origins: kit.origins, random: kit.random)
        endpoints.mount(SignInWayController(way: way, notices: OnceAMinute(time: kit.time)))
        endpoints.mount(SessionController(kit: kit))
        endpoints.mount(
            AuthCheckController(
                sessions: kit.browsers, time: kit.time, way: way,
                websites: CheckedWebsite(origins: kit.origins, time: kit.time), users: users))
        endpoints.mount(MessageController(pages: pages))
        endpoints.mount(
            LanguageController(pages: pages, origins: kit.origins, repetition: RouteTable.repetition))
        endpoints.mount(AssetController(files: files))
        endpoints.mount(
            AppLinkController(
                settings: settings.appLinks,
                redemptionPaths: settings.redemptionPaths + [returnPath].compactMap(\.self), origins: kit.origins,
                browserPages: RouteTable.browserPages))
    }
}

extension SignInServices {
    /// The provider's own pages: sign-in, authorization, consent (contract §5).
    fileprivate func mount(
        on endpoints: Endpoints, flow: SignInFlow, frontDoor: String?, bearers: BearerGate, offersDevices: Bool,
        metrics: any MetricsFactory
    ) {
        endpoints.mount(SignInController(flow: flow, signIn: signIn, frontDoor: frontDoor))
        endpoints.mount(AuthorizeController(kit: flow.kit, services: self))
        endpoints.mount(
            AccountController(kit: flow.kit, account: account, signIn: self, offersDevices: offersDevices))
        endpoints.mount(ConsentsController(kit: flow.kit, account: account))
        if let upstream {
            endpoints.mount(UpstreamController(upstream: upstream.signIn, flow: flow))
            endpoints.mount(UpstreamSignOutController(signOuts: upstream.signOuts))
        }
        endpoints.mount(SecondFactorController(kit: flow.kit, enrolment: secondFactor))
        if let passkeys {
            endpoints.mount(PasskeySignInController(flow: flow, passkeys: passkeys.signIn))
            endpoints.mount(
                PasskeysController(kit: flow.kit, enrolment: passkeys.enrolment))
        }
        if let phone {
            endpoints.mount(PhoneSignInController(flow: flow, phones: phone))
            endpoints.mount(SignInCodeController(flow: flow, phones: phone))
            endpoints.mount(
                ApprovalController(phones: phone, bearers: bearers, origin: flow.kit.origins.configured.issuer))
        }
        selfIssued?.mount(on: endpoints, flow: flow, bearers: bearers, metrics: SelfIssuedMetrics(factory: metrics))
    }
}

extension SelfIssuedServices {
    fileprivate func mount(
        on endpoints: Endpoints, flow: SignInFlow, bearers: BearerGate, metrics: SelfIssuedMetrics
    ) {
        let configuration = signIn.configuration
        endpoints.mount(SelfIssuedController(phone: signIn, flow: flow, metrics: metrics))
        endpoints.mount(SelfIssuedRequestController(configuration: configuration), at: configuration.requestPath)
        endpoints.mount(SelfIssuedReturnController(pages: flow.kit.pages), at: configuration.returnPath)
        endpoints.mount(LinkedKeysController(kit: flow.kit, linkedKeys: signIn.linkedKeys, phone: signIn))
        if let registration {
            endpoints.mount(
                KeyRegistrationController(
                    registration: registration, bearers: bearers, metrics: metrics,
                    issuer: flow.kit.origins.configured.issuer))
        }
    }
}

extension ProviderServices {
    /// The token side of the provider (contract §5).
    fileprivate func mount(
        on endpoints: Endpoints, bearers: BearerGate, nativeSSO: NativeSSOConfiguration?,
        pushedRequests: PushedRequests?, kit: BrowserPages
    ) {
        endpoints.mount(TokenController(endpoints: self.endpoints, origins: kit.origins, time: kit.time))
        if let pushedRequests {
            endpoints.mount(PushedRequestController(endpoints: self.endpoints, requests: pushedRequests))
        }
        endpoints.mount(UserInfoController(userInfo: userInfo, gate: bearers))
        endpoints.mount(
            MetadataController(
                provider: self, endpoints: RouteTable.metadata,
                offersNativeSSO: { try await nativeSSO?.lastKnown().isEnabled ?? false },
                languages: kit.pages.texts.languages,
                time: kit.time))
        endpoints.mount(LogoutController(kit: kit, provider: self))
    }
}

extension ProviderServices {
    /// Devices without a browser (contract §9).
    fileprivate func mountDevices(
        on endpoints: Endpoints, kit: BrowserPages, accounts: any UserStore, metrics: DeviceGrantMetrics
    ) {
        endpoints.mount(
            DeviceAuthorizationController(
                endpoints: self.endpoints, authorizations: devices.authorizations, issuer: issuer, metrics: metrics))
        endpoints.mount(
            DeviceGrantController(
                kit: kit, approvals: devices.approvals, accounts: accounts, metrics: metrics))
    }
}

extension AdminServices {
    /// The administration API (contract §8).
    fileprivate func mount(
        on endpoints: Endpoints, device: DeviceServices?, explanations: Explanations, random: RandomSource
    ) {
        endpoints.mount(AuditController(gate: gate, log: storage, terms: node.auditTerms))
        endpoints.mount(AuditStreamController(gate: gate, log: storage))
        endpoints.mount(AdminClientController(gate: gate, clients: clients, random: random))
        endpoints.mount(AdminUserController(gate: gate, users: users, storage: storage, random: random))
        endpoints.mount(AdminKeyController(gate: gate, keys: keys))
        endpoints.mount(AdminExplainController(gate: gate, explanations: explanations))
        guard let device else { return }
        endpoints.mount(NativeSSOSettingsController(gate: gate, configuration: device.configuration))
        endpoints.mount(DeviceSecretController(gate: gate, device: device, users: users))
    }
}

extension ConsoleFrame {
    /// The console's pages (contract §8).
    fileprivate func mount(on endpoints: Endpoints, explanations: Explanations, passwords: PasswordChange) {
        endpoints.mount(ConsoleSignIn(frame: self))
        endpoints.mount(ConsoleOverview(frame: self))
        endpoints.mount(ConsoleSessions(frame: self))
        endpoints.mount(ConsoleEvents(frame: self))
        endpoints.mount(ConsoleUsers(frame: self))
        endpoints.mount(ConsoleAccounts(frame: self, users: ConsoleUsers(frame: self), passwords: passwords))
        endpoints.mount(ConsoleClients(frame: self))
        endpoints.mount(ConsoleExplain(frame: self, explanations: explanations))
        endpoints.mount(ConsoleTools(frame: self))
        guard let device else { return }
        endpoints.mount(ConsoleDevices(frame: self, device: device))
        endpoints.mount(ConsoleNativeSSO(frame: self, device: device))
    }
}

extension DeviceServices {
    /// Devices and their web sessions (contract §5, §6).
    fileprivate func mount(on endpoints: Endpoints, services: BridgeServices, kit: BrowserPages) {
        let cookieRefresh = SessionRefreshController(kit: kit, refresh: refresh)
        endpoints.mount(cookieRefresh)
        endpoints.mount(DevicesController(kit: kit, places: places, accounts: services.signIn.accounts))
        guard let compatibility, let provider = services.provider else { return }
        let endings = services.browsers.endings
        endpoints.mount(
            CompatibleAuthorizeController(
                kit: kit, compatibility: compatibility,
                providers: Set(services.signIn.upstream?.signIn.providers.map(\.id) ?? [])))
        endpoints.mount(
            CompatibleTokenController(
                kit: kit, compatibility: compatibility, tokens: provider.endpoints.tokens, secrets: secrets,
                endings: endings, cookieRefresh: cookieRefresh))
        endpoints.mount(
            CompatibleSessionController(
                kit: kit, provider: provider, gate: services.loginTokens.bearers, endings: endings))
    }
}

extension FrontMiddleware {
    fileprivate convenience init(services: BridgeServices, settings: BridgeHTTPSettings, console: ConsoleFrame) {
        let front = services.front
        self.init(
            clientAddress: ClientAddress(
                trustedProxies: settings.trustedProxies,
                trustsPeersWithoutAddress: settings.trustsPeersWithoutAddress),
            errors: ErrorResponder(
                issuer: settings.origins.issuer, pages: services.browsers.pages, console: console,
                shapes: ErrorShapes(declared: RouteTable.shapes(redemptionPaths: settings.redemptionPaths))),
            accessLog: front.accessLog, metrics: RequestMetrics(factory: front.metrics), time: front.time,
            random: front.random.buffered(), strictTransportSecurity: settings.strictTransportSecurityValue,
            proofs: front.proofs, keys: front.keys, recorder: front.recorder)
    }
}
