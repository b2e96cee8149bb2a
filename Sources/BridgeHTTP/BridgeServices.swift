package import Bridge
package import CoreMetrics

/// Everything that the routes call.
package struct BridgeServices: Sendable {
    package let issuer: LoginTokenIssuer
    package let overview: LoginTokenOverview
    package let redeemer: LoginTokenRedeemer
    package let sessions: WebSessions
    package let endings: SessionEndings
    package let formTokens: FormTokens
    package let bearers: BearerGate
    package let clients: Reloadable<ClientDirectory>
    package let admin: AdminServices
    package let pages: Pages
    package let files: PublicFiles
    package let signIn: SignInServices
    package let accessLog: AccessLog
    package let metrics: any MetricsFactory
    /// `nil` where Drawbridge only stands beside another provider.
    package let provider: ProviderServices?
    /// `nil` leaves out device secrets, cookies for web views and the compatibility paths.
    package let device: DeviceServices?
    /// `nil` offers no DPoP.
    package let proofs: DPoPVerifier?
    /// Kept in step with the database before each request; `nil` where nobody changes them.
    package let keys: SigningKeys?
    package let time: TimeSource
    package let random: RandomSource

    package init(
        issuer: LoginTokenIssuer, overview: LoginTokenOverview, redeemer: LoginTokenRedeemer, sessions: WebSessions,
        endings: SessionEndings, formTokens: FormTokens, bearers: BearerGate, clients: Reloadable<ClientDirectory>,
        admin: AdminServices,
        pages: Pages,
        files: PublicFiles, signIn: SignInServices, accessLog: AccessLog, metrics: any MetricsFactory,
        provider: ProviderServices? = nil, device: DeviceServices? = nil, proofs: DPoPVerifier? = nil,
        keys: SigningKeys? = nil, time: TimeSource = .system,
        random: RandomSource = .system
    ) {
        self.issuer = issuer
        self.overview = overview
        self.redeemer = redeemer
        self.sessions = sessions
        self.endings = endings
        self.formTokens = formTokens
        self.bearers = bearers
        self.clients = clients
        self.admin = admin
        self.pages = pages
        self.files = files
        self.signIn = signIn
        self.accessLog = accessLog
        self.metrics = metrics
        self.provider = provider
        self.device = device
        self.proofs = proofs
        self.keys = keys
        self.time = time
        self.random = random
    }
}

extension BridgeServices {
    /// Finds the session of a browser in whichever cookies it has.
    package var browserSessions: BrowserSessions {
        BrowserSessions(sessions: sessions, clients: clients, accessTokens: provider?.accessTokens, time: time)
    }

    /// Ends them, and takes the cookies away.
    var browserSignOut: BrowserSignOut {
        let refreshPaths =
            [CookieTokens.refreshPath] + (device?.compatibility == nil ? [] : [SignInCompatibility.refreshPath])
        return BrowserSignOut(
            browsers: browserSessions, endings: endings, clients: clients, refreshPaths: refreshPaths, time: time)
    }
}
