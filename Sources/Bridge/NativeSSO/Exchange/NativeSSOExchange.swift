import OAuth2

/// Turns a device secret and a token of one app into tokens or cookies of another client (contract §5.4).
package struct NativeSSOExchange: Sendable {
    let issuer: String
    let configuration: NativeSSOConfiguration
    let devices: DeviceSecrets
    let store: any DeviceSecretStore
    let appSessions: any AppSessionStore
    let sessions: AppSessions
    let endings: SessionEndings
    let webSessions: WebSessions
    let subjects: Subjects
    let consents: any ConsentStore
    let clients: Reloadable<ClientDirectory>
    let accessTokens: AccessTokens
    let tokens: SessionTokens
    let refreshTokens: RefreshTokens
    let cookies: CookieTokens
    let limiter: any RateLimiter
    let refusals: RefusalLog
    let random: RandomSource

    package init(
        issuer: String, configuration: NativeSSOConfiguration, devices: DeviceSecrets, store: any DeviceSecretStore,
        appSessions: any AppSessionStore, sessions: AppSessions, endings: SessionEndings, webSessions: WebSessions,
        subjects: Subjects,
        consents: any ConsentStore, clients: Reloadable<ClientDirectory>, accessTokens: AccessTokens,
        tokens: SessionTokens, refreshTokens: RefreshTokens, cookies: CookieTokens,
        limiter: any RateLimiter, refusals: RefusalLog, random: RandomSource = .system
    ) {
        self.issuer = issuer
        self.configuration = configuration
        self.devices = devices
        self.store = store
        self.appSessions = appSessions
        self.sessions = sessions
        self.endings = endings
        self.webSessions = webSessions
        self.subjects = subjects
        self.consents = consents
        self.clients = clients
        self.accessTokens = accessTokens
        self.tokens = tokens
        self.refreshTokens = refreshTokens
        self.cookies = cookies
        self.limiter = limiter
        self.refusals = refusals
        self.random = random
    }

    /// What the app sent.
    package struct Order: Sendable {
        package let kind: NativeSSOFacts.SubjectToken.Kind
        package let subjectToken: Secret<String>
        package let deviceSecret: Secret<String>

        package init(
            kind: NativeSSOFacts.SubjectToken.Kind, subjectToken: Secret<String>, deviceSecret: Secret<String>
        ) {
            self.kind = kind
            self.subjectToken = subjectToken
            self.deviceSecret = deviceSecret
        }
    }

    /// - Throws: `OAuthError` by contract §11; ``StorageError`` when a store cannot decide.
    package func exchange(_ order: Order, for request: TokenRequest) async throws -> TokenResponse {
        let secret = OpaqueSecret(order.deviceSecret.expose(), kind: .deviceSecret)
        let known: PresentedDeviceSecret? =
            if let secret { try await store.deviceSecret(digest: secret.digest) } else { nil }
        let settings = try await configuration.current()
        try await checkLimit(of: known?.device, settings: settings, request)
        let facts = try await facts(order, secret: secret, known: known, settings: settings, request: request)
        switch NativeSSOCheck.decide(facts) {
        case .refused(let flaw, let all):
            throw try await refuse(flaw, all: all, known: known?.device, facts, request)
        case .passes(let scope):
            // The check saw both, or it would not have passed.
            guard let secret, let session = facts.session else {
                throw try await refuse(.secretUnknown, all: [], known: known?.device, facts, request)
            }
            return try await open(
                Passed(secret: secret, session: session, scope: scope, facts: facts), request)
        }
    }

    /// Ten a minute for each device, then none for a while; secrets that nobody has are counted by who sends them.
    private func checkLimit(
        of device: DeviceSecret?, settings: NativeSSOSettings, _ request: TokenRequest
    ) async throws {
        let network = request.origin.address?.limitNetwork.description ?? "local"
        let key =
            if let device {
                RateLimitKey(scope: "exchange.device", value: device.id.rawValue, window: settings.exchangeWindow)
            } else {
                RateLimitKey(
                    scope: "exchange.unknown", value: "\(request.client.id) \(network)",
                    window: settings.exchangeWindow)
            }
        guard case .exceeded(let wait, let scope) = try await limiter.take([key], at: request.at) else { return }
        try await refusals.limitExceeded(
            scope: scope, subject: device?.subject, clientID: request.client.id, origin: request.origin,
            at: request.at)
        throw OAuthError(
            .slowDown, "Too many exchanges with this device secret.", detail: scope,
            retryAfter: wait.roundedUpSeconds)
    }

    private func refuse(
        _ flaw: NativeSSOFlaw, all: [NativeSSOFlaw], known: DeviceSecret?, _ facts: NativeSSOFacts,
        _ request: TokenRequest
    ) async throws -> OAuthError {
        var detail = JSONObjectWriter()
        if let known { detail.add("device_secret_id", known.id.rawValue) }
        detail.add("flaws", all.map(\.rawValue))
        try await refusals.record(
            AuditEvent(
                at: request.at, type: .deviceSecretRefused, outcome: .failure, reason: flaw.rawValue,
                subject: known?.subject ?? facts.subjectToken?.subject, clientID: facts.subjectToken?.clientID,
                targetClientID: request.client.id, sessionID: facts.session?.id, origin: request.origin,
                detail: String(decoding: detail.finish(), as: UTF8.self)))
        // Somebody holds a secret that was rotated away: one of the two is a thief.
        if let known, all.contains(.secretReplayed) {
            _ = try await devices.revoke(
                known.id, reason: "replayed", by: nil, origin: request.origin, at: request.at)
        }
        return OAuthError(
            flaw.code, flaw.publicDescription, detail: flaw.rawValue,
            challenge: flaw == .authenticationTooWeak ? request.client.authenticationChallenge : nil)
    }

    /// As ``refuse(_:all:known:_:_:)``, for what the store found in the end.
    func refuse(
        _ flaw: NativeSSOFlaw, _ passed: Passed, _ request: TokenRequest
    ) async throws -> OAuthError {
        try await refuse(flaw, all: [flaw], known: passed.facts.secret?.device, passed.facts, request)
    }

    /// An exchange whose every check held.
    struct Passed: Sendable {
        let secret: OpaqueSecret
        let session: AppSession
        let scope: Scope
        let facts: NativeSSOFacts

        /// What the app's access token may be used for; of an ID token, all that its session may.
        var bearerScope: Scope { facts.subjectToken?.scope ?? session.scope }
    }
}
