import Bridge
import BridgeHTTP
import Federation
import Logging

/// The token side of the OAuth provider, wired to its stores.
struct ProviderComposition: Sendable {
    let services: ProviderServices
    /// What makes tokens of a session, for grants and tools beside the token endpoint.
    let tokens: SessionTokens
    let accessTokens: AccessTokens
    /// Of what userinfo and introspection say of a user.
    let userClaims: RememberedUserClaims
    let notifier: LogoutNotifier
    let device: DeviceComposition

    /// What the provider shares with the rest of the server.
    struct Surroundings: Sendable {
        let settings: DrawbridgeSettings
        let storage: any BridgeStorage
        let shared: SharedState
        let sessions: WebSessions
        let appSessions: AppSessions
        let endings: SessionEndings
        let clients: Reloadable<ClientDirectory>
        let refusals: RefusalLog
        let subjects: Subjects
        let issuer: LoginTokenIssuer
        let redeemer: LoginTokenRedeemer
        let proofs: DPoPVerifier
        /// Verifies the bearers of trusted issuers.
        let authenticator: any BearerAuthenticator
        let logger: Logger
        let time: TimeSource

        var limits: LimitSettings { settings.limits ?? LimitSettings() }

        var authorizationLimit: UserLimit {
            UserLimit(
                scope: "authorize.subject", bucket: limits.authorizationPerSubject, limiter: shared.limiter,
                refusals: refusals)
        }

        var refreshLimit: UserLimit {
            UserLimit(
                scope: "refresh.subject", bucket: limits.refreshPerSubject, limiter: shared.limiter, refusals: refusals)
        }
    }

    init(_ surroundings: Surroundings, keys: SigningKeys, master: MasterKey) {
        let storage = surroundings.storage
        let time = surroundings.time
        let clients = surroundings.clients
        let issuer = surroundings.settings.issuer.description
        let limits = surroundings.limits
        let limiter = surroundings.shared.limiter
        let users = AccountClaims(accounts: storage)
        let userClaims = RememberedUserClaims(users, time: time)
        let idTokens = IDTokenCodec(issuer: issuer, keys: keys.ring, inquiry: keys)
        let codec = AccessTokenCodec(issuer: issuer, keys: keys.ring)
        let sessions = surroundings.appSessions
        let endings = surroundings.endings
        let authenticator = ClientAuthenticator(
            clients: clients, issuer: issuer,
            endpoints: Set(RouteTable.clientPaths.map { issuer + $0 }),
            keys: RemoteClientKeys(time: time), assertions: storage,
            refusals: surroundings.refusals, limiter: limiter, limits: limits)
        let refreshTokens = RefreshTokens(master: master)
        accessTokens = AccessTokens(
            codec: codec, sessions: sessions, revoked: storage, inquiry: keys,
            cacheCapacity: surroundings.settings.bearerCacheSize, time: time)
        tokens = SessionTokens(accessTokens: codec, idTokens: idTokens, users: users)
        notifier = LogoutNotifier(
            store: storage, clients: clients, tokens: idTokens, delivery: BackChannelLogout(), time: time,
            logger: surroundings.logger)
        self.userClaims = userClaims
        let device = DeviceComposition(
            surroundings,
            DeviceComposition.Provider(
                codec: codec, accessTokens: accessTokens, sessions: sessions, tokens: tokens,
                refreshTokens: refreshTokens))
        self.device = device
        let grants: [any TokenGrant] = [
            AuthorizationCodeGrant(
                codes: storage, browsers: storage, endings: endings, refreshTokens: refreshTokens, tokens: tokens,
                devices: device.secrets, refusals: surroundings.refusals),
            RefreshTokenGrant(
                store: storage, endings: endings, refreshTokens: refreshTokens, tokens: tokens,
                devices: device.secrets, limit: surroundings.refreshLimit),
            ClientCredentialsGrant(tokens: tokens, audit: storage), device.exchange,
        ]
        services = ProviderServices(
            issuer: issuer,
            endpoints: ClientEndpoints(
                authenticator: authenticator,
                tokens: TokenEndpoint(
                    authenticator: authenticator, grants: grants, proofs: surroundings.proofs,
                    refusals: surroundings.refusals, limiter: limiter, limits: limits, time: time),
                revocation: TokenRevocation(
                    authenticator: authenticator, accessTokens: accessTokens, idTokens: idTokens,
                    refreshTokens: storage, revoked: storage, endings: endings, further: [device.secrets.revocation],
                    time: time),
                introspection: TokenIntrospection(
                    authenticator: authenticator, accessTokens: accessTokens, refreshTokens: storage,
                    users: userClaims, issuer: issuer, further: [device.secrets.introspection(issuer: issuer)],
                    time: time)),
            userInfo: UserInfo(
                tokens: accessTokens, sessions: sessions, users: userClaims, clients: clients, codec: idTokens,
                constraint: SenderConstraint(proofs: surroundings.proofs), time: time),
            accessTokens: accessTokens, idTokens: idTokens, keys: keys.ring,
            logout: LogoutServices(
                sessions: storage, notifier: notifier,
                seal: ShortLivedSeal(keys: keys.loginTokens, purpose: "website's logout", time: time)))
    }
}
