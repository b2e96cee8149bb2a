import Bridge
import HTTPTypes
package import Hummingbird

/// All routes.
/// - Parameter extraRoutes: adds another part's pages under the same middleware, such as the demo site's.
package func buildRouter(
    services: BridgeServices, settings: BridgeHTTPSettings, extraRoutes: (Endpoints) -> Void = { _ in }
) -> Router<BridgeRequestContext> {
    let router = Router(context: BridgeRequestContext.self)
    router.add(middleware: FrontMiddleware(services: services, settings: settings))
    let kit = services.browserPages(at: settings.origins)
    let endpoints = Endpoints(router: router, origins: kit.origins)
    let signIn = SignInController(kit: kit, services: services.signIn)

    services.loginTokens.mount(
        on: endpoints, at: settings.redemptionPaths, kit: kit, metrics: OutcomeMetrics(factory: services.front.metrics))
    services.browsers.mount(on: endpoints, settings: settings, kit: kit)
    services.signIn.mount(on: endpoints, pages: signIn)
    services.provider?.mount(on: endpoints, bearers: services.loginTokens.bearers, kit: kit)
    services.admin.mount(on: endpoints, device: services.device, random: kit.random)
    ConsoleFrame(kit: kit, services: services.admin, signIn: signIn, device: services.device).mount(on: endpoints)
    services.device?.mount(on: endpoints, services: services, kit: kit)
    extraRoutes(endpoints)
    return router
}

extension LoginTokenServices {
    fileprivate func mount(
        on endpoints: Endpoints, at paths: [String], kit: BrowserPages, metrics: OutcomeMetrics
    ) {
        endpoints.mount(IssueController(issuer: issuer, overview: overview, bearers: bearers))
        let redemption = RedemptionController(kit: kit, redeemer: redeemer, metrics: metrics)
        for path in paths { endpoints.mount(redemption, at: path) }
    }
}

extension BrowserServices {
    fileprivate func mount(on endpoints: Endpoints, settings: BridgeHTTPSettings, kit: BrowserPages) {
        endpoints.mount(SessionController(kit: kit))
        endpoints.mount(AuthCheckController(sessions: kit.browsers, origins: kit.origins, time: kit.time))
        endpoints.mount(MessageController(pages: pages))
        endpoints.mount(AssetController(files: files))
        endpoints.mount(AppLinkController(settings: settings.appLinks, redemptionPaths: settings.redemptionPaths))
    }
}

extension SignInServices {
    /// The provider's own pages: sign-in, authorization, consent (contract §5).
    fileprivate func mount(on endpoints: Endpoints, pages: SignInController) {
        endpoints.mount(pages)
        endpoints.mount(AuthorizeController(kit: pages.kit, services: self))
        if let upstream { endpoints.mount(UpstreamController(upstream: upstream, signIn: pages)) }
        if let secondFactor { endpoints.mount(SecondFactorController(kit: pages.kit, enrolment: secondFactor)) }
        if let pushedRequests { endpoints.mount(PushedRequestController(requests: pushedRequests)) }
    }
}

extension ProviderServices {
    /// The token side of the provider (contract §5).
    fileprivate func mount(on endpoints: Endpoints, bearers: BearerGate, kit: BrowserPages) {
        endpoints.mount(TokenController(endpoints: self.endpoints, origins: kit.origins, time: kit.time))
        endpoints.mount(UserInfoController(userInfo: userInfo, gate: bearers))
        endpoints.mount(MetadataController(provider: self, endpoints: RouteTable.metadata, time: kit.time))
        endpoints.mount(LogoutController(kit: kit, provider: self))
    }
}

extension AdminServices {
    /// The administration API (contract §8).
    fileprivate func mount(on endpoints: Endpoints, device: DeviceServices?, random: RandomSource) {
        endpoints.mount(AuditController(gate: gate, log: storage, terms: node.auditTerms))
        endpoints.mount(AuditStreamController(gate: gate, log: storage))
        endpoints.mount(AdminClientController(gate: gate, clients: clients, random: random))
        endpoints.mount(AdminUserController(gate: gate, users: users, random: random))
        endpoints.mount(AdminKeyController(gate: gate, keys: keys))
        endpoints.mount(AdminExplainController(gate: gate, explainer: explainer, exchange: device?.exchange))
        guard let device else { return }
        endpoints.mount(NativeSSOSettingsController(gate: gate, configuration: device.configuration))
        endpoints.mount(DeviceSecretController(gate: gate, device: device))
    }
}

extension ConsoleFrame {
    /// The console's pages (contract §8).
    fileprivate func mount(on endpoints: Endpoints) {
        endpoints.mount(ConsoleSignIn(frame: self))
        endpoints.mount(ConsoleOverview(frame: self))
        endpoints.mount(ConsoleEvents(frame: self))
        endpoints.mount(ConsoleUsers(frame: self))
        endpoints.mount(ConsoleClients(frame: self))
        endpoints.mount(ConsoleTools(frame: self))
        guard let device else { return }
        endpoints.mount(ConsoleDevices(frame: self, device: device))
        endpoints.mount(ConsoleNativeSSO(frame: self, device: device))
    }
}

extension DeviceServices {
    /// Devices and their web sessions (contract §5, §6).
    fileprivate func mount(on endpoints: Endpoints, services: BridgeServices, kit: BrowserPages) {
        let refresh = SessionRefreshController(kit: kit, refresh: self.refresh)
        endpoints.mount(refresh)
        endpoints.mount(
            DevicesController(
                kit: kit, places: places, offersSecondFactor: services.signIn.secondFactor != nil))
        guard let compatibility, let provider = services.provider else { return }
        let endings = services.browsers.endings
        endpoints.mount(CompatibleAuthorizeController(kit: kit, compatibility: compatibility))
        endpoints.mount(
            CompatibleTokenController(
                kit: kit, compatibility: compatibility, tokens: provider.endpoints.tokens, secrets: secrets,
                endings: endings, refresh: refresh))
        endpoints.mount(
            CompatibleSessionController(
                kit: kit, provider: provider, gate: services.loginTokens.bearers, endings: endings))
    }
}

extension FrontMiddleware {
    fileprivate init(services: BridgeServices, settings: BridgeHTTPSettings) {
        let front = services.front
        self.init(
            clientAddress: ClientAddress(
                trustedProxies: settings.trustedProxies, trustsLocalSocket: settings.trustsLocalSocket),
            errors: ErrorResponder(
                issuer: settings.origins.issuer, pages: services.browsers.pages,
                shapes: ErrorShapes(declared: RouteTable.shapes(redemptionPaths: settings.redemptionPaths))),
            accessLog: front.accessLog, metrics: RequestMetrics(factory: front.metrics), time: front.time,
            random: front.random.buffered(), strictTransportSecurity: settings.strictTransportSecurityValue,
            proofs: front.proofs, keys: front.keys)
    }
}
