import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// The token side with device secrets, token exchange and web views: two apps of one maker, a third party's app, and
/// websites that get cookies or redeem by themselves.
struct NativeProvider: Sendable {
    static let photos: ClientID = "photos"
    static let music: ClientID = "music"
    /// A website whose cookies are the four of the profile `tokens`.
    static let shop: ClientID = "shop"
    static let scope = [Scope.openID, "profile", Scope.offlineAccess, Scope.deviceSSO]

    /// Of a bearer whose issuer would have to be asked, and does not answer.
    static let foreignToken = "foreign-token"
    private static let awayIssuer: TokenRevocation.OtherTokens = { token, _, _, _ in
        if token.expose() == foreignToken { throw StorageError.unavailable("introspection") }
        return false
    }

    let provider: Provider
    let configuration: NativeSSOConfiguration
    let devices: DeviceSecrets
    let native: NativeSSOExchange
    let exchanges: TokenExchangeGrant
    let cookies: CookieTokens
    let endpoint: TokenEndpoint
    let refreshing: SessionRefresh
    let places: SignedInPlaces
    let revocation: TokenRevocation
    let introspection: TokenIntrospection

    var service: Service { provider.service }
    var clock: FixedClock { provider.service.clock }
    var storage: any BridgeStorage { provider.service.storage }

    init(_ provider: Provider, configured: [NativeSSOField: NativeSSOValue]) throws {
        self.provider = provider
        let service = provider.service
        let storage = service.storage
        let time = service.clock.source
        service.clients.add(try Self.clients(provider.secret.digest))
        configuration = NativeSSOConfiguration(configured: configured, store: storage, time: time)
        devices = DeviceSecrets(
            store: storage, configuration: configuration, clients: service.clients, endings: service.endings)
        cookies = CookieTokens(codec: provider.accessTokenCodec)
        let limiter = InProcessRateLimiter(clock: .parameter)
        let refusals = RefusalLog(audit: storage, limiter: limiter)
        let userLimit = UserLimit(
            scope: "refresh.subject", bucket: TokenBucket(perMinute: 60), limiter: limiter, refusals: refusals)
        let tokens = SessionTokens(accessTokens: provider.accessTokenCodec, idTokens: provider.idTokens)
        let refreshTokens = RefreshTokens(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
        let subjects = Subjects(store: storage, time: time)
        native = NativeSSOExchange(
            inquiry: NativeSSOInquiry(
                issuer: issuerName, configuration: configuration, devices: storage, grants: storage,
                sessions: provider.appSessions, subjects: subjects, clients: service.clients,
                accessTokens: provider.accessTokens, idTokens: tokens.idTokens),
            opening: NativeSSOOpening(
                store: storage, tokens: tokens, refreshTokens: refreshTokens, cookies: cookies,
                webSessions: service.sessions, endings: service.endings,
                webSessionsPerDevice: LimitSettings().webSessionsPerDevice),
            devices: devices, limiter: limiter, refusals: refusals)
        exchanges = TokenExchangeGrant(
            native: native,
            loginTokens: LoginTokenExchange(
                issuer: service.issuer, redeemer: service.redeemer,
                bearers: BearerInquiries(
                    LocalBearers(
                        tokens: provider.accessTokens, subjects: subjects, issuer: issuerName,
                        others: NoOtherIssuers()),
                    limiter: limiter, limits: LimitSettings(), refusals: refusals, else: .slowDown),
                tokens: tokens))
        let authenticator = ClientAuthenticator(
            clients: service.clients, issuer: issuerName, assertions: storage, refusals: refusals,
            limiter: UnlimitedRateLimiter(), limits: LimitSettings())
        endpoint = TokenEndpoint(
            issuer: issuerName, authenticator: authenticator,
            grants: [
                AuthorizationCodeGrant(
                    codes: storage, browsers: storage, endings: service.endings, refreshTokens: refreshTokens,
                    tokens: tokens, devices: devices, refusals: refusals),
                RefreshTokenGrant(
                    store: storage, endings: service.endings, refreshTokens: refreshTokens, tokens: tokens,
                    devices: devices, clients: service.clients, limit: userLimit),
                exchanges,
            ], proofs: provider.proofs, refusals: refusals, limiter: UnlimitedRateLimiter(), limits: LimitSettings(),
            time: time)
        refreshing = SessionRefresh(
            store: storage, sessions: service.sessions, endings: service.endings, clients: service.clients,
            subjects: subjects, cookies: cookies, limit: userLimit, limiter: limiter, limits: LimitSettings(),
            refusals: refusals, time: time)
        places = SignedInPlaces(
            devices: storage, apps: storage, webs: storage, audit: storage, endings: service.endings,
            gate: LimitGate(limiter, refusals: refusals), time: time)
        revocation = TokenRevocation(
            authenticator: authenticator, accessTokens: provider.accessTokens, idTokens: provider.idTokens,
            grants: storage, endings: service.endings, refusals: refusals,
            further: [Self.awayIssuer, devices.revocation, refreshing.revocation],
            time: time)
        introspection = TokenIntrospection(
            authenticator: authenticator, clients: service.clients, accessTokens: provider.accessTokens,
            refreshTokens: storage, users: NoUserClaims(), issuer: issuerName, refusals: refusals,
            further: [devices.introspection(issuer: issuerName)],
            time: time)
    }

    private static func clients(_ secretDigest: String) throws -> [Client] {
        func app(_ id: ClientID, shares: Set<ClientID> = []) -> Client {
            var client = Client(
                id: id, name: id.rawValue, kind: .native, canIssueLoginTokens: true, mayReach: [website])
            client.isNativeSSOEnabled = true
            client.isFirstParty = true
            client.shareWith = shares
            return client
        }
        func view(_ id: ClientID) -> Client {
            var client = Client(id: id, name: id.rawValue, kind: .web)
            client.authenticationMethod = .none
            client.delivery = .cookies
            return client
        }
        var guest = app("guest")
        guest.isFirstParty = false
        var bank = app("bank")
        bank.minimumACR = "aal2"
        bank.maximumAuthenticationAge = .seconds(600)
        var shop = view(Self.shop)
        shop.cookieProfile = .tokens
        shop.cookiePrefix = "shop_"
        shop.cookieDomain = ".shop.example"
        var server = try #require(try testClients().first { $0.id == website })
        server.secretDigest = secretDigest
        return [
            app(photos, shares: [music, "guest", "bank", Self.shop, "news"]), app(music), guest, bank, shop,
            view("news"), server,
        ]
    }

    /// Tokens and a device secret of a fresh sign-in.
    func signIn(
        _ client: ClientID = photos, deviceSecret: String? = nil, scope: [String] = scope, subject: Subject = "alice",
        browser: SessionID? = nil, proof: PresentedProof = .none, from requestOrigin: RequestOrigin = origin()
    ) async throws -> TokenResponse {
        let code = try await provider.code(
            try provider.grant(client: client, scope: scope, browser: browser, subject: subject))
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", client.rawValue),
            ("redirect_uri", callback), ("code_verifier", verifier),
        ]
        if let deviceSecret { form.append(("device_secret", deviceSecret)) }
        return try await post(form, proof: proof, from: requestOrigin)
    }

    func refresh(
        _ tokens: TokenResponse, _ client: ClientID = photos, deviceSecret: Secret<String>? = nil
    ) async throws -> TokenResponse {
        var form = [("grant_type", "refresh_token"), ("client_id", client.rawValue)]
        if let token = tokens.refreshToken { form.append(("refresh_token", token.expose())) }
        if let deviceSecret { form.append(("device_secret", deviceSecret.expose())) }
        return try await post(form)
    }

    /// What an app that shares the device secret sends, by draft-07 §4.1.
    func exchangeForm(
        _ tokens: TokenResponse, to client: ClientID = music, secret: Secret<String>? = nil,
        by type: String = TokenTypeURI.idToken, changing changes: [String: String?] = [:]
    ) -> [(String, String)] {
        let subject = type == TokenTypeURI.accessToken ? tokens.accessToken : tokens.idToken
        var form: [String: String] = [
            "grant_type": GrantType.tokenExchange.rawValue, "client_id": client.rawValue, "subject_token_type": type,
            "actor_token_type": TokenTypeURI.deviceSecret,
        ]
        form["subject_token"] = subject?.expose()
        form["actor_token"] = (secret ?? tokens.deviceSecret)?.expose()
        for (name, value) in changes { form[name] = value }
        return form.sorted { $0.key < $1.key }
    }

    func exchange(
        _ tokens: TokenResponse, to client: ClientID = music, secret: Secret<String>? = nil,
        by type: String = TokenTypeURI.idToken, changing changes: [String: String?] = [:]
    ) async throws -> TokenResponse {
        try await post(exchangeForm(tokens, to: client, secret: secret, by: type, changing: changes))
    }

    func post(
        _ form: [(String, String)], basic: BasicCredentials = .absent, proof: PresentedProof = .none,
        from requestOrigin: RequestOrigin = origin()
    ) async throws -> TokenResponse {
        try await endpoint.answer(
            try Provider.parameters(form), basic: basic, proof: proof, cookies: .allowed, origin: requestOrigin)
    }

    /// The session that tokens are of.
    func session(of tokens: TokenResponse) throws -> SessionID {
        SessionID(rawValue: try #require(try claims(tokens.accessToken)["sid"]?.string))
    }

    func isActive(_ tokens: TokenResponse) async throws -> Bool {
        do {
            _ = try await provider.accessTokens.active(tokens.accessToken, at: clock.now)
            return true
        } catch is BearerRefusal {
            return false
        }
    }

    func records(_ type: AuditEventType) async throws -> [AuditEvent] {
        try await storage.search(AuditFilter(type: type), before: nil, limit: 100).records.map(\.event)
    }
}

/// Runs a test against a provider with Native SSO over a fresh database.
func withNativeProvider(
    _ configured: [NativeSSOField: NativeSSOValue] = [:], _ body: (NativeProvider) async throws -> Void
) async throws {
    let settings = [NativeSSOField.enabled: .flag(true), .allowCrossClientNativeSSO: .flag(true)]
        .merging(configured) { $1 }
    try await withProvider { try await body(NativeProvider($0, configured: settings)) }
}
