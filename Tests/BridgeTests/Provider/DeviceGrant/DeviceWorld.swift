import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// Devices, their users and their clients, over the database of a ``Provider``.
struct DeviceWorld: Sendable {
    static let tv: ClientID = "tv"
    static let trusted: ClientID = "trusted-tv"

    let provider: Provider
    let authorizations: DeviceAuthorizations
    let approvals: DeviceApprovals
    let endpoint: TokenEndpoint
    let browser = OpaqueSecret.make(.formBinding, random: .system)

    var storage: any BridgeStorage { provider.service.storage }
    var clock: FixedClock { provider.service.clock }

    init(_ provider: Provider, limits: LimitSettings = LimitSettings()) throws {
        self.provider = provider
        let service = provider.service
        let storage = service.storage
        let time = service.clock.source
        var devices = [
            Client(id: Self.tv, name: "A television", kind: .native),
            Client(id: Self.trusted, name: "A television of ours", kind: .native),
            Client(id: "strong-tv", name: "A television for few", kind: .native),
        ]
        for index in devices.indices { devices[index].grantTypes = [.deviceCode, .refreshToken] }
        devices[0].isNativeSSOEnabled = true
        devices[0].scope = devices[0].scope.adding("address").adding(Scope.revokeAllSessions)
        devices[1].isFirstParty = true
        devices[2].minimumACR = AuthenticationLevel.twoFactors.rawValue
        let clients = service.clients
        clients.add(devices)
        let limiter = InProcessRateLimiter(clock: .parameter)
        let refusals = RefusalLog(audit: storage, limiter: limiter)
        let master = try #require(MasterKey([UInt8](repeating: 7, count: 32)))
        let authenticator = ClientAuthenticator(
            clients: clients, issuer: issuerName, assertions: storage, refusals: refusals,
            limiter: UnlimitedRateLimiter(), limits: LimitSettings())
        authorizations = DeviceAuthorizations(
            authenticator: authenticator, store: storage, master: master, refusals: refusals, limiter: limiter,
            limits: limits, time: time)
        approvals = DeviceApprovals(
            clients: clients, store: storage, accounts: storage, master: master, keys: service.keys,
            refusals: refusals, limiter: limiter, limits: LimitSettings(), time: time)
        endpoint = TokenEndpoint(
            issuer: issuerName, authenticator: authenticator,
            grants: [
                DeviceCodeGrant(
                    devices: storage, polls: storage, codes: storage, browsers: storage, endings: service.endings,
                    refreshTokens: RefreshTokens(master: master),
                    tokens: SessionTokens(accessTokens: provider.accessTokenCodec, idTokens: provider.idTokens),
                    refusals: refusals)
            ], proofs: provider.proofs, refusals: refusals, limiter: limiter, limits: LimitSettings(), time: time)
    }

    func start(
        _ client: ClientID = tv, scope: String? = "openid profile", resource: String? = nil,
        from address: String? = "203.0.113.7"
    ) async throws -> DeviceAuthorizations.Started {
        var form = [("client_id", client.rawValue)]
        if let scope { form.append(("scope", scope)) }
        if let resource { form.append(("resource", resource)) }
        return try await authorizations.start(
            try Provider.parameters(form), basic: .absent, origin: origin(address), issuer: issuerName)
    }

    func refusalOfStart(
        _ client: ClientID = tv, scope: String? = "openid profile", resource: String? = nil
    ) async throws -> String {
        try await refusal { try await start(client, scope: scope, resource: resource) }
    }

    func poll(
        _ started: DeviceAuthorizations.Started, as client: ClientID = tv, proof: PresentedProof = .none
    ) async throws -> TokenResponse {
        try await endpoint.answer(
            try Provider.parameters([
                ("grant_type", GrantType.deviceCode.rawValue), ("client_id", client.rawValue),
                ("device_code", started.deviceCode.expose()),
            ]), basic: .absent, proof: proof, cookies: .allowed, origin: origin())
    }

    /// A browser in which the user signed in.
    func signIn(_ subject: Subject = "alice", acr: String = "aal1") async throws -> WebSession {
        let id = SessionID.make(at: clock.now, random: .system)
        let session = WebSession(
            id: id, secretDigest: "digest of \(id)",
            lineage: .signIn(
                of: subject, authentication: Authentication(time: clock.now, acr: acr, amr: ["pwd"]), at: clock.now,
                lifetime: .seconds(43_200)),
            clientID: website, createdAt: clock.now, idleLifetime: .seconds(43_200), lastSeenAt: clock.now)
        _ = try await storage.open(session, replacing: nil, events: [])
        return session
    }

    func find(
        _ typed: String, _ session: WebSession, from address: String? = "203.0.113.7"
    ) async throws -> DeviceApprovals.Finding {
        try await approvals.find(typed, for: session, browser: browser, origin: origin(address))
    }

    func question(
        _ started: DeviceAuthorizations.Started, _ session: WebSession
    ) async throws -> DeviceApprovals.Question {
        guard case .question(let question) = try await find(started.userCode.shown, session) else {
            throw OAuthError(.invalidRequest, "nothing is asked")
        }
        return question
    }

    /// The user finds the device and answers.
    @discardableResult
    func answer(
        _ started: DeviceAuthorizations.Started, in session: WebSession, agreed: Bool = true
    ) async throws -> String {
        let question = try await question(started, session)
        return try await settle(question.sealed, agreed: agreed, in: session)
    }

    func settle(
        _ sealed: String, agreed: Bool = true, in session: WebSession, browser: OpaqueSecret? = nil
    ) async throws -> String {
        let outcome = try await approvals.settle(
            sealed, agreed: agreed, by: session, browser: browser ?? self.browser, origin: origin())
        return switch outcome {
        case .approved: "approved"
        case .denied: "denied"
        case .answeredBefore(_, let wasLetIn): wasLetIn ? "approved before" : "denied before"
        case .gone: "gone"
        case .signInAgain: "sign in"
        }
    }

    func session(of tokens: TokenResponse) async throws -> AppSession? {
        let id = try #require(try claims(tokens.accessToken)["sid"]?.string)
        return try await storage.appSession(id: SessionID(rawValue: id))
    }
}

func withDevices(_ body: (DeviceWorld) async throws -> Void) async throws {
    try await withProvider { provider async throws in try await body(DeviceWorld(provider)) }
}
