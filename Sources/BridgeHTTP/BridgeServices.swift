package import Bridge

/// Everything that the routes call, by wing.
package final class BridgeServices: Sendable {
    package let front: FrontServices
    package let browsers: BrowserServices
    package let loginTokens: LoginTokenServices
    package let signIn: SignInServices
    package let admin: AdminServices
    /// `nil` where Drawbridge only complements another provider.
    package let provider: ProviderServices?
    /// `nil` leaves out device secrets, cookies for web views and the compatibility paths.
    package let device: DeviceServices?

    package init(
        front: FrontServices, browsers: BrowserServices, loginTokens: LoginTokenServices, signIn: SignInServices,
        admin: AdminServices, provider: ProviderServices? = nil, device: DeviceServices? = nil
    ) {
        self.front = front
        self.browsers = browsers
        self.loginTokens = loginTokens
        self.signIn = signIn
        self.admin = admin
        self.provider = provider
        self.device = device
    }

    package var clients: Reloadable<ClientDirectory> { browsers.clients }
}

/// Sessions of browsers, and what browsers are shown.
package final class BrowserServices: Sendable {
    package let sessions: WebSessions
    let endings: SessionEndings
    let clients: Reloadable<ClientDirectory>
    let formTokens: FormTokens
    package let pages: Pages
    let files: PublicFiles
    let refusals: RefusalLog

    package init(
        sessions: WebSessions, endings: SessionEndings, clients: Reloadable<ClientDirectory>, formTokens: FormTokens,
        pages: Pages, files: PublicFiles, refusals: RefusalLog
    ) {
        self.sessions = sessions
        self.endings = endings
        self.clients = clients
        self.formTokens = formTokens
        self.pages = pages
        self.files = files
        self.refusals = refusals
    }
}

/// Login tokens: what apps ask for, and what links redeem.
package final class LoginTokenServices: Sendable {
    let issuer: LoginTokenIssuer
    let overview: LoginTokenOverview
    let redeemer: LoginTokenRedeemer
    let handOffs: HandOffs
    /// Lets apps in.
    let bearers: BearerGate

    package init(
        issuer: LoginTokenIssuer, overview: LoginTokenOverview, redeemer: LoginTokenRedeemer, handOffs: HandOffs,
        bearers: BearerGate
    ) {
        self.issuer = issuer
        self.overview = overview
        self.redeemer = redeemer
        self.handOffs = handOffs
        self.bearers = bearers
    }
}

extension BridgeServices {
    /// Finds the session of a browser in whichever cookies it has.
    package func browserSessions(at origins: Origins) -> BrowserSessions { browserSessions(at: reader(of: origins)) }

    private func browserSessions(at origins: OriginReader) -> BrowserSessions {
        BrowserSessions(
            sessions: browsers.sessions, clients: browsers.clients, accessTokens: provider?.accessTokens,
            origins: origins, time: front.time)
    }

    private func reader(of origins: Origins) -> OriginReader {
        OriginReader(configured: origins, clients: browsers.clients)
    }

    /// Ends them, and takes the cookies away.
    private func browserSignOut(of found: BrowserSessions) -> BrowserSignOut {
        let refreshPaths =
            [CookieTokens.refreshPath] + (device?.compatibility == nil ? [] : [SignInCompatibility.refreshPath])
        return BrowserSignOut(
            browsers: found, endings: browsers.endings, clients: browsers.clients,
            refreshPaths: refreshPaths, time: front.time)
    }

    /// What every route for browsers shares.
    func browserPages(at origins: Origins) -> BrowserPages {
        let origins = reader(of: origins)
        let found = browserSessions(at: origins)
        return BrowserPages(
            browsers: found, browserSignOut: browserSignOut(of: found), clients: browsers.clients,
            formTokens: browsers.formTokens, pages: browsers.pages, origins: origins, refusals: browsers.refusals,
            time: front.time, random: front.random, cookieTokens: device?.cookies)
    }
}
