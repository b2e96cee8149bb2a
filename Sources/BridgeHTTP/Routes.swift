import Bridge
import HTTPTypes
package import Hummingbird

/// All routes.
/// - Parameter extraRoutes: adds another part's pages behind the same middleware, such as the demo site's.
package func buildRouter(
    services: BridgeServices, settings: BridgeHTTPSettings, extraRoutes: (Endpoints) -> Void = { _ in }
) -> Router<BridgeRequestContext> {
    let router = Router(context: BridgeRequestContext.self)
    router.add(middleware: FrontMiddleware(services: services, settings: settings))
    let kit = BrowserPages(services: services, origins: settings.origins)
    let endpoints = Endpoints(router: router, origins: kit.origins)
    let signIn = SignInController(kit: kit, services: services.signIn)

    endpoints.mount(
        IssueController(issuer: services.issuer, overview: services.overview, bearers: services.bearers))
    let redemption = RedemptionController(
        kit: kit, redeemer: services.redeemer, metrics: OutcomeMetrics(factory: services.metrics))
    for path in settings.redemptionPaths { endpoints.mount(redemption, at: path) }

    endpoints.mount(SessionController(kit: kit))
    endpoints.mount(AuthCheckController(sessions: kit.browsers, origins: kit.origins, time: kit.time))
    endpoints.mount(MessageController(pages: kit.pages))
    endpoints.mount(AssetController(files: services.files))
    endpoints.mount(AppLinkController(settings: settings.appLinks, redemptionPaths: settings.redemptionPaths))

    endpoints.mountSignIn(signIn)
    if let provider = services.provider { endpoints.mountProvider(provider, bearers: services.bearers, kit: kit) }
    endpoints.mountAdministration(services.admin, device: services.device, random: kit.random)
    endpoints.mountConsole(
        ConsoleFrame(
            services: services.admin, pages: kit.pages, formTokens: kit.formTokens,
            publicOrigin: settings.origins.admin, issuer: settings.origins.issuer, random: kit.random,
            device: services.device, signIn: signIn))
    if let device = services.device { endpoints.mountDevices(device, services: services, kit: kit) }
    extraRoutes(endpoints)
    return router
}

extension Endpoints {
    /// The provider's own pages: sign-in, authorization, consent (contract §5).
    fileprivate func mountSignIn(_ pages: SignInController) {
        let services = pages.services
        mount(pages)
        mount(AuthorizeController(kit: pages.kit, services: services))
        if let upstream = services.upstream { mount(UpstreamController(upstream: upstream, signIn: pages)) }
        if let secondFactor = services.secondFactor {
            mount(SecondFactorController(kit: pages.kit, enrolment: secondFactor))
        }
        if let requests = services.pushedRequests { mount(PushedRequestController(requests: requests)) }
    }

    /// The token side of the provider (contract §5).
    fileprivate func mountProvider(_ provider: ProviderServices, bearers: BearerGate, kit: BrowserPages) {
        mount(TokenController(provider: provider, origins: kit.origins, time: kit.time))
        mount(UserInfoController(userInfo: provider.userInfo, gate: bearers))
        mount(MetadataController(provider: provider, endpoints: RouteTable.metadata, time: kit.time))
        mount(LogoutController(kit: kit, provider: provider))
    }

    /// The administration API (contract §8).
    fileprivate func mountAdministration(_ services: AdminServices, device: DeviceServices?, random: RandomSource) {
        let gate = services.gate
        mount(AuditController(gate: gate, log: services.storage, terms: services.auditTerms))
        mount(AuditStreamController(gate: gate, log: services.storage))
        mount(AdminClientController(gate: gate, clients: services.clients, random: random))
        mount(AdminUserController(gate: gate, users: services.users, random: random))
        mount(AdminKeyController(gate: gate, keys: services.keys))
        mount(AdminExplainController(gate: gate, explainer: services.explainer, exchange: device?.exchange))
        guard let device else { return }
        mount(NativeSSOSettingsController(gate: gate, configuration: device.configuration))
        mount(DeviceSecretController(gate: gate, device: device))
    }

    /// The console's pages (contract §8).
    fileprivate func mountConsole(_ frame: ConsoleFrame) {
        mount(ConsoleSignIn(frame: frame))
        mount(ConsoleOverview(frame: frame))
        mount(ConsoleEvents(frame: frame))
        mount(ConsoleUsers(frame: frame))
        mount(ConsoleClients(frame: frame))
        mount(ConsoleTools(frame: frame))
        guard let device = frame.device else { return }
        mount(ConsoleDevices(frame: frame, device: device))
        mount(ConsoleNativeSSO(frame: frame, device: device))
    }

    /// Devices and their web sessions (contract §5, §6).
    fileprivate func mountDevices(_ device: DeviceServices, services: BridgeServices, kit: BrowserPages) {
        let refresh = SessionRefreshController(
            refresh: device.refresh, clients: kit.clients, signOut: kit.browserSignOut, origins: kit.origins,
            time: kit.time)
        mount(refresh)
        mount(
            DevicesController(
                kit: kit, places: device.places, offersSecondFactor: services.signIn.secondFactor != nil))
        guard let compatibility = device.compatibility, let provider = services.provider else { return }
        mount(CompatibleAuthorizeController(kit: kit, compatibility: compatibility))
        mount(
            CompatibleTokenController(
                compatibility: compatibility, provider: provider, secrets: device.secrets, endings: services.endings,
                refresh: refresh, origins: kit.origins, time: kit.time))
        mount(
            CompatibleSessionController(
                kit: kit, provider: provider, gate: services.bearers, endings: services.endings))
    }
}

extension BrowserPages {
    fileprivate init(services: BridgeServices, origins: Origins) {
        self.init(
            sessions: services.sessions, browsers: services.browserSessions, browserSignOut: services.browserSignOut,
            clients: services.clients, formTokens: services.formTokens, pages: services.pages,
            origins: OriginReader(configured: origins, clients: services.clients), time: services.time,
            random: services.random)
    }
}

extension FrontMiddleware {
    fileprivate init(services: BridgeServices, settings: BridgeHTTPSettings) {
        self.init(
            clientAddress: ClientAddress(
                trustedProxies: settings.trustedProxies, trustsLocalSocket: settings.trustsLocalSocket),
            errors: ErrorResponder(
                issuer: settings.origins.issuer, pages: services.pages,
                shapes: ErrorShapes(declared: RouteTable.shapes(redemptionPaths: settings.redemptionPaths))),
            accessLog: services.accessLog, metrics: RequestMetrics(factory: services.metrics), time: services.time,
            random: services.random.buffered(), strictTransportSecurity: settings.strictTransportSecurityValue,
            proofs: services.proofs, keys: services.keys)
    }
}
