import Bridge
import BridgeHTTP
import Federation
import Logging

/// The OAuth provider, wired to its stores.
struct ProviderWing: Sendable {
    let services: ProviderServices
    let tokens: ProviderTokens
    let nativeSSO: NativeSSOWing
    let notifier: LogoutNotifier

    init(_ ground: Ground, _ sessions: SessionWing, _ bearers: BearerWing, _ loginTokens: LoginTokenWing) {
        let tokens = ProviderTokens(ground, sessions)
        let nativeSSO = NativeSSOWing(ground, sessions, bearers, loginTokens, tokens)
        let notifier = LogoutNotifier(
            store: ground.storage, clients: ground.clients, tokens: tokens.idTokens, delivery: BackChannelLogout(),
            time: ground.time, logger: ground.logger)
        self.tokens = tokens
        self.nativeSSO = nativeSSO
        self.notifier = notifier
        let endpoints = Self.endpoints(ground, sessions, bearers, tokens, nativeSSO)
        services = ProviderServices(
            issuer: ground.issuer, endpoints: endpoints,
            userInfo: UserInfo(
                tokens: tokens.accessTokens, sessions: sessions.appSessions, users: sessions.userClaims,
                clients: ground.clients, codec: tokens.idTokens,
                constraint: SenderConstraint(proofs: bearers.proofs), time: ground.time),
            users: sessions.userClaims, accessTokens: tokens.accessTokens, idTokens: tokens.idTokens,
            keys: ground.keys.ring,
            logout: LogoutServices(
                sessions: ground.storage, notifier: notifier,
                seal: ShortLivedSeal(
                    keys: ground.keys.loginTokens, purpose: .websiteLogout, time: ground.time)),
            devices: DeviceGrantServices(ground, authenticator: endpoints.authenticator))
    }

    /// What clients call, each with the same proof of who they are.
    private static func endpoints(
        _ ground: Ground, _ sessions: SessionWing, _ bearers: BearerWing, _ tokens: ProviderTokens,
        _ nativeSSO: NativeSSOWing
    ) -> ClientEndpoints {
        let authenticator = Self.authenticator(ground)
        return ClientEndpoints(
            authenticator: authenticator,
            tokens: TokenEndpoint(
                issuer: ground.issuer, authenticator: authenticator,
                grants: grants(ground, sessions, tokens, nativeSSO), proofs: bearers.proofs,
                refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits, time: ground.time),
            revocation: TokenRevocation(
                authenticator: authenticator, accessTokens: tokens.accessTokens, idTokens: tokens.idTokens,
                grants: ground.storage, endings: sessions.endings, refusals: ground.refusals,
                further: [
                    nativeSSO.secrets.revocation, nativeSSO.services.refresh.revocation,
                    AppSignOut(bearers: ground.inquiries(by: bearers.issuers), endings: sessions.endings).revocation,
                ], time: ground.time),
            introspection: TokenIntrospection(
                authenticator: authenticator, clients: ground.clients, accessTokens: tokens.accessTokens,
                refreshTokens: ground.storage, users: sessions.userClaims, issuer: ground.issuer,
                refusals: ground.refusals,
                further: [nativeSSO.secrets.introspection(issuer: ground.issuer)], time: ground.time))
    }

    private static func authenticator(_ ground: Ground) -> ClientAuthenticator {
        ClientAuthenticator(
            clients: ground.clients, issuer: ground.issuer,
            endpoints: Set(RouteTable.clientPaths.map { ground.issuer + $0 }),
            keys: RemoteClientKeys(logger: ground.logger, time: ground.time), assertions: ground.storage,
            refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits)
    }

    private static func grants(
        _ ground: Ground, _ sessions: SessionWing, _ tokens: ProviderTokens, _ nativeSSO: NativeSSOWing
    ) -> [any TokenGrant] {
        [
            AuthorizationCodeGrant(
                codes: ground.storage, browsers: ground.storage, endings: sessions.endings,
                refreshTokens: tokens.refreshTokens, tokens: tokens.ofSessions, devices: nativeSSO.secrets,
                refusals: ground.refusals),
            RefreshTokenGrant(
                store: ground.storage, endings: sessions.endings, refreshTokens: tokens.refreshTokens,
                tokens: tokens.ofSessions, devices: nativeSSO.secrets, clients: ground.clients,
                limit: ground.refreshLimit),
            ClientCredentialsGrant(
                tokens: tokens.ofSessions, audit: ground.storage, refusals: ground.refusals, limiter: ground.limiter,
                limits: ground.limits),
            nativeSSO.exchange,
            DeviceCodeGrant(
                devices: ground.storage, polls: ground.shared.devicePolls(orElse: ground.storage),
                codes: ground.storage,
                browsers: ground.storage, endings: sessions.endings, refreshTokens: tokens.refreshTokens,
                tokens: tokens.ofSessions, refusals: ground.refusals),
        ]
    }
}

/// What makes and reads the provider's tokens, for its endpoints and for all that builds on them.
struct ProviderTokens: Sendable {
    let codec: AccessTokenCodec
    let idTokens: IDTokenCodec
    let accessTokens: AccessTokens
    let refreshTokens: RefreshTokens
    let ofSessions: SessionTokens

    init(_ ground: Ground, _ sessions: SessionWing) {
        codec = AccessTokenCodec(issuer: ground.issuer, keys: ground.keys.ring)
        idTokens = IDTokenCodec(issuer: ground.issuer, keys: ground.keys.ring, inquiry: ground.keys)
        accessTokens = AccessTokens(
            codec: codec, clients: ground.clients, sessions: sessions.appSessions, store: ground.storage,
            inquiry: ground.keys, cacheCapacity: ground.settings.provider.bearerCacheSize, time: ground.time)
        refreshTokens = RefreshTokens(
            master: ground.master, idleLifetime: ground.settings.provider.refreshTokenIdle,
            sessionLifetime: ground.settings.provider.sessionLifetime)
        ofSessions = SessionTokens(
            accessTokens: codec, idTokens: idTokens, users: AccountClaims(accounts: ground.storage))
    }
}

extension DeviceGrantServices {
    fileprivate convenience init(_ ground: Ground, authenticator: ClientAuthenticator) {
        self.init(
            authorizations: DeviceAuthorizations(
                authenticator: authenticator, store: ground.storage, master: ground.master,
                refusals: ground.refusals, limiter: ground.limiter, limits: ground.limits, time: ground.time),
            approvals: DeviceApprovals(
                clients: ground.clients, store: ground.storage, accounts: ground.storage, master: ground.master,
                keys: ground.keys.loginTokens, refusals: ground.refusals, limiter: ground.limiter,
                limits: ground.limits, time: ground.time))
    }
}
