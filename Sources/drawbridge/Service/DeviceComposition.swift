import Bridge
import BridgeHTTP
import Logging

/// Device secrets, token exchange and web views, wired to their stores.
struct DeviceComposition: Sendable {
    let services: DeviceServices
    let secrets: DeviceSecrets
    let exchange: TokenExchangeGrant

    /// The parts of the provider that it builds on.
    struct Provider: Sendable {
        let codec: AccessTokenCodec
        let accessTokens: AccessTokens
        let sessions: AppSessions
        let tokens: SessionTokens
        let refreshTokens: RefreshTokens
    }

    init(_ surroundings: ProviderComposition.Surroundings, _ provider: Provider) {
        let settings = surroundings.settings
        let storage = surroundings.storage
        let time = surroundings.time
        let clients = surroundings.clients
        let issuer = settings.issuer.description
        let cookies = CookieTokens(codec: provider.codec)
        let configuration = NativeSSOConfiguration(configured: settings.nativeSSO, store: storage, time: time)
        let secrets = DeviceSecrets(
            store: storage, configuration: configuration, endings: surroundings.endings)
        self.secrets = secrets
        let native = NativeSSOExchange(
            issuer: issuer, configuration: configuration, devices: secrets, store: storage, appSessions: storage,
            sessions: provider.sessions, endings: surroundings.endings, webSessions: surroundings.sessions,
            subjects: surroundings.subjects,
            consents: storage, clients: clients, accessTokens: provider.accessTokens, tokens: provider.tokens,
            refreshTokens: provider.refreshTokens, cookies: cookies,
            limiter: surroundings.shared.limiter, refusals: surroundings.refusals)
        exchange = TokenExchangeGrant(
            native: native,
            loginTokens: LoginTokenExchange(
                issuer: surroundings.issuer, redeemer: surroundings.redeemer,
                bearers: LocalBearers(
                    tokens: provider.accessTokens, issuer: issuer, others: surroundings.authenticator),
                tokens: provider.tokens))
        services = DeviceServices(
            configuration: configuration, secrets: secrets, devices: storage,
            refresh: SessionRefresh(
                store: storage, sessions: surroundings.sessions, endings: surroundings.endings, clients: clients,
                subjects: surroundings.subjects, cookies: cookies, limit: surroundings.refreshLimit,
                refusals: surroundings.refusals, time: time),
            exchange: native,
            places: SignedInPlaces(
                devices: storage, apps: storage, webs: storage, audit: storage, endings: surroundings.endings,
                time: time),
            compatibility: settings.signInCompatibility
                ? SignInCompatibility(
                    codes: AuthorizationCodes(store: storage, limit: surroundings.authorizationLimit),
                    codeStore: storage, refreshTokens: storage, devices: storage) : nil)
    }
}
