import Bridge
import BridgeHTTP
import Logging
import OAuth2

/// Device secrets, token exchange and web views, wired to their stores.
struct NativeSSOWing: Sendable {
    let services: DeviceServices
    let configuration: NativeSSOConfiguration
    let secrets: DeviceSecrets
    let exchange: TokenExchangeGrant

    init(
        _ ground: Ground, _ sessions: SessionWing, _ bearers: BearerWing, _ loginTokens: LoginTokenWing,
        _ tokens: ProviderTokens
    ) {
        let storage = ground.storage
        let cookies = CookieTokens(codec: tokens.codec)
        let configuration = NativeSSOConfiguration(
            configured: ground.settings.nativeSSO.configured, store: storage, time: ground.time)
        let secrets = DeviceSecrets(
            store: storage, configuration: configuration, clients: ground.clients, endings: sessions.endings)
        let limits = ground.settings.rateLimits
        let native = NativeSSOExchange(
            inquiry: NativeSSOInquiry(
                issuer: ground.issuer, configuration: configuration, devices: storage, grants: storage,
                sessions: sessions.appSessions, subjects: sessions.subjects, clients: ground.clients,
                accessTokens: tokens.accessTokens, idTokens: tokens.idTokens),
            opening: NativeSSOOpening(
                store: storage, tokens: tokens.ofSessions, refreshTokens: tokens.refreshTokens, cookies: cookies,
                webSessions: sessions.webSessions, endings: sessions.endings,
                webSessionsPerDevice: limits.areEnforced ? limits.limits.webSessionsPerDevice : nil),
            devices: secrets, limiter: ground.limiter, refusals: ground.refusals)
        self.configuration = configuration
        self.secrets = secrets
        let exchange = TokenExchangeGrant(
            native: native,
            loginTokens: LoginTokenExchange(
                issuer: loginTokens.issuer, redeemer: loginTokens.redeemer,
                bearers: ground.inquiries(by: bearers.local(tokens.accessTokens), else: .slowDown),
                tokens: tokens.ofSessions))
        self.exchange = exchange
        services = DeviceServices(
            configuration: configuration, secrets: secrets, devices: storage,
            refresh: SessionRefresh(
                store: storage, sessions: sessions.webSessions, endings: sessions.endings, clients: ground.clients,
                subjects: sessions.subjects, cookies: cookies, limit: ground.refreshLimit, limiter: ground.limiter,
                limits: ground.limits, refusals: ground.refusals, time: ground.time),
            exchange: exchange, cookies: cookies,
            places: SignedInPlaces(
                devices: storage, apps: storage, webs: storage, audit: storage, endings: sessions.endings,
                gate: LimitGate(ground.limiter, refusals: ground.refusals), time: ground.time),
            compatibility: ground.settings.nativeSSO.servesSignInCompatibility
                ? SignInCompatibility(
                    codes: AuthorizationCodes(store: storage, limit: ground.authorizationLimit),
                    grants: storage, devices: storage, configuration: configuration,
                    refusals: ground.refusals) : nil)
    }
}
