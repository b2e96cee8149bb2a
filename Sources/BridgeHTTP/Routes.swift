package import Hummingbird
import Bridge
import HTTPTypes
import OAuth2

/// All routes.
/// - Parameter extraRoutes: adds another part's pages behind the same middleware, such as the demo site's.
package func buildRouter(
    services: BridgeServices, settings: BridgeHTTPSettings, extraRoutes: (Endpoints) -> Void = { _ in }
) -> Router<BridgeRequestContext> {
    let router = Router(context: BridgeRequestContext.self)
    router.add(middleware: FrontMiddleware(services: services, settings: settings))
    let origins = OriginReader(configured: settings.origins, clients: services.clients)
    let endpoints = Endpoints(router: router, origins: origins)

    let issue = IssueController(issuer: services.issuer, overview: services.overview, bearers: services.bearers)
    endpoints.on("/api/auth/create-sso-token", [.post: issue.issue])
    endpoints.on("/api/auth/sso-tokens/{id}", [.get: issue.status, .delete: issue.revoke])

    let redemption = RedemptionController(services: services, origins: origins)
    let website = endpoints.only(for: .website)
    for path in settings.redemptionPaths {
        website.on(path, [.get: redemption.visit, .head: redemption.head, .post: redemption.submit])
    }

    let session = SessionController(services: services, origins: origins)
    let check = AuthCheckController(
        sessions: services.browserSessions, origins: origins, time: services.time)
    let messages = MessageController(pages: services.pages)
    let pages = endpoints.only(for: .all)
    pages.on("/session", [.get: session.show])
    pages.on("/session/logout", [.get: session.askToSignOut, .post: session.signOut])
    pages.on("/session/signed-out", [.get: messages.signedOut])
    endpoints.onAny(authCheckPath, check.check)

    let signInPages = services.signIn.map {
        SignInController(
            services: $0, sessions: services.sessions, formTokens: services.formTokens, pages: services.pages,
            origins: origins, time: services.time, random: services.random)
    }
    if let signInPages { addSignInRoutes(endpoints, signInPages, services: services, origins: origins) }

    endpoints.on("/errors/{code}", [.get: messages.explainError])
    let assets = AssetController(files: services.files)
    endpoints.on("/assets/{name}", [.get: assets.serve])
    endpoints.on("/openapi.json", [.get: assets.describeAPI])
    let links = AppLinkController(settings: settings.appLinks, redemptionPaths: settings.redemptionPaths)
    endpoints.on("/.well-known/apple-app-site-association", [.get: links.appleAppSiteAssociation])
    endpoints.on("/.well-known/assetlinks.json", [.get: links.assetLinks])

    if let provider = services.provider { addTokenRoutes(to: endpoints, provider, services, origins) }
    AdminRoutes(services: services.admin, random: services.random, exchange: services.device?.exchange)
        .add(to: endpoints.only(for: .console))
    ConsoleRoutes(
        frame: ConsoleFrame(
            services: services.admin, pages: services.pages, formTokens: services.formTokens,
            publicOrigin: settings.origins.admin, issuer: settings.origins.issuer, random: services.random,
            device: services.device, signIn: signInPages)
    ).add(to: endpoints.only(for: .console))

    if let device = services.device {
        DeviceRoutes(device: device, services: services, origins: origins).add(to: endpoints)
    }
    extraRoutes(endpoints)
    return router
}

/// The token side of the OAuth provider (contract §5).
private func addTokenRoutes(
    to endpoints: Endpoints, _ provider: ProviderServices, _ services: BridgeServices, _ origins: OriginReader
) {
    let tokens = TokenController(provider: provider, origins: origins, time: services.time)
    endpoints.onOpen(TokenController.tokenPath, [.post: tokens.token])
    endpoints.onOpen(TokenController.revocationPath, [.post: tokens.revoke])
    endpoints.on(TokenController.introspectionPath, [.post: tokens.introspect])
    let userInfo = UserInfoController(userInfo: provider.userInfo, gate: services.bearers)
    endpoints.onOpen(userInfoPath, [.get: userInfo.show, .post: userInfo.show])
    let metadata = MetadataController(provider: provider, time: services.time)
    for name in ["openid-configuration", "oauth-authorization-server"] {
        endpoints.onOpen("/.well-known/\(name)", [.get: metadata.document])
    }
    endpoints.onOpen("/.well-known/jwks.json", [.get: metadata.keys])
    let logout = LogoutController(
        provider: provider, services: services, browserSignOut: services.browserSignOut,
        issuer: origins.configured.issuer)
    endpoints.only(for: .provider).on(logoutPath, [.get: logout.visit, .post: logout.submit])
}

private let logoutPath = "/oauth/logout"
private let userInfoPath = "/oauth/userinfo"
private let authCheckPath = "/auth/check"

/// The provider's own pages: sign-in, authorization, consent.
private func addSignInRoutes(
    _ endpoints: Endpoints, _ pages: SignInController, services: BridgeServices, origins: OriginReader
) {
    let signIn = pages.services
    // A session belongs to the origin where it was opened, so the console has a sign-in of its own.
    let own = endpoints.only(for: [.provider, .console])
    own.on(SignInController.path, [.get: pages.show, .post: pages.attempt])
    own.on(SignInController.codePath, [.get: pages.beginAnew, .post: pages.confirm])
    let authorize = AuthorizeController(
        services: signIn, sessions: services.sessions, formTokens: services.formTokens, pages: services.pages,
        issuer: origins.configured.issuer, random: services.random)
    let provider = endpoints.only(for: .provider)
    // HEAD must not use a request up, so it does not follow GET here.
    provider.on(
        AuthorizeController.path,
        [.get: authorize.begin, .post: authorize.submit, .head: { _, _ in throw OAuthError(.methodNotAllowed) }])
    provider.on(AuthorizeController.consentPath, [.post: authorize.consent])
    if let upstream = signIn.upstream {
        let controller = UpstreamController(
            upstream: upstream, signIn: pages, sessions: services.sessions, random: services.random)
        let noHead: Handler = { _, _ in throw OAuthError(.methodNotAllowed) }
        own.on(UpstreamController.beginPath, [.get: controller.begin, .head: noHead])
        own.on(UpstreamController.callbackPath, [.get: controller.finish, .head: noHead])
    }
    if let secondFactor = signIn.secondFactor {
        let controller = SecondFactorController(
            enrolment: secondFactor, sessions: services.sessions, formTokens: services.formTokens,
            pages: services.pages, origins: origins, random: services.random)
        own.on(AccountPath.secondFactor, [.get: controller.show, .post: controller.change])
    }
    if let pushed = signIn.pushedRequests {
        endpoints.on(TokenController.pushedRequestPath, [.post: PushedRequestController(requests: pushed).push])
    }
}

extension FrontMiddleware {
    fileprivate init(services: BridgeServices, settings: BridgeHTTPSettings) {
        self.init(
            clientAddress: ClientAddress(
                trustedProxies: settings.trustedProxies, trustsLocalSocket: settings.trustsLocalSocket),
            errors: ErrorResponder(
                issuer: settings.origins.issuer, pages: services.pages,
                shapes: ErrorShapes(
                    pageRoutes: Set(
                        settings.redemptionPaths + [
                            "/session/signed-out", "/errors/{code}", SignInController.path, SignInController.codePath,
                            UpstreamController.beginPath, UpstreamController.callbackPath,
                            AuthorizeController.path, AuthorizeController.consentPath, logoutPath,
                            DevicesController.path, DevicesController.endPath,
                            AccountPath.secondFactor,
                        ]
                    ).union(ConsoleRoutes.paths),
                    silentRoutes: [authCheckPath], programRoutes: TokenController.paths.union([userInfoPath]))),
            accessLog: services.accessLog, metrics: RequestMetrics(factory: services.metrics), time: services.time,
            random: services.random.buffered(), strictTransportSecurity: settings.strictTransportSecurityValue,
            proofs: services.proofs, keys: services.keys)
    }
}

extension RedemptionController {
    fileprivate init(services: BridgeServices, origins: OriginReader) {
        self.init(
            redeemer: services.redeemer, browsers: services.browserSessions, signOut: services.browserSignOut,
            clients: services.clients, formTokens: services.formTokens, pages: services.pages,
            reader: VisitReader(formTokens: services.formTokens),
            metrics: OutcomeMetrics(factory: services.metrics), origins: origins,
            time: services.time, random: services.random)
    }
}

extension SessionController {
    fileprivate init(services: BridgeServices, origins: OriginReader) {
        self.init(
            browsers: services.browserSessions, browserSignOut: services.browserSignOut,
            formTokens: services.formTokens, pages: services.pages, origins: origins, time: services.time,
            random: services.random)
    }
}
