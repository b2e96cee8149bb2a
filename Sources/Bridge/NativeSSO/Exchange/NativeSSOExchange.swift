package import OAuth2

/// Turns a device secret and a token of one app into tokens or cookies of another client (contract §5.4).
package struct NativeSSOExchange: Sendable {
    private let issuer: String
    private let configuration: NativeSSOConfiguration
    private let devices: DeviceSecrets
    private let store: any DeviceSecretStore
    private let appSessions: any AppSessionStore
    private let sessions: AppSessions
    private let endings: SessionEndings
    private let webSessions: WebSessions
    private let subjects: Subjects
    private let consents: any ConsentStore
    private let clients: Reloadable<ClientDirectory>
    private let accessTokens: AccessTokens
    private let tokens: SessionTokens
    private let refreshTokens: RefreshTokens
    private let cookies: CookieTokens
    private let limiter: any RateLimiter
    private let refusals: RefusalLog
    private let random: RandomSource

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
    package struct ExchangeRequest: Sendable {
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
    package func exchange(_ order: ExchangeRequest, for request: TokenRequest) async throws -> TokenResponse {
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
                GrantedExchange(secret: secret, session: session, scope: scope, facts: facts), request)
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
        _ flaw: NativeSSORefusal, all: [NativeSSORefusal], known: DeviceSecret?, _ facts: NativeSSOFacts,
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
        _ flaw: NativeSSORefusal, _ passed: GrantedExchange, _ request: TokenRequest
    ) async throws -> OAuthError {
        try await refuse(flaw, all: [flaw], known: passed.facts.secret?.device, passed.facts, request)
    }

    /// An exchange whose every check held.
    struct GrantedExchange: Sendable {
        let secret: OpaqueSecret
        let session: AppSession
        let scope: Scope
        let facts: NativeSSOFacts

        /// What the app's access token may be used for; of an ID token, all that its session may.
        var bearerScope: Scope { facts.subjectToken?.scope ?? session.scope }
    }
}

extension NativeSSOExchange {
    /// Opens what the asking client is given, in the same transaction as the secret's use is counted.
    func open(_ passed: GrantedExchange, _ request: TokenRequest) async throws -> TokenResponse {
        if request.client.delivery == .cookies { return try await openForWebView(passed, request) }
        let client = request.client
        let session = AppSession(
            id: SessionID.make(at: request.at, random: random),
            lineage: passed.session.exchanged(for: passed.scope, at: request.at, lifetime: AppSession.lifetime),
            clientID: client.id, deviceSecretID: passed.facts.secret?.device.id,
            wantsLogoutNotice: client.backchannelLogoutURI != nil, createdAt: request.at)
        let refreshToken = client.grantTypes.contains(.refreshToken) ? refreshTokens.make() : nil
        let record = refreshToken.map {
            refreshTokens.record(
                $0, for: session, scope: passed.scope,
                proofKeyThumbprint: client.isPublic ? request.proofKeyThumbprint : nil, at: request.at)
        }
        try await use(
            passed, opening: .appSession(session, refreshToken: record),
            events: [
                event(.deviceSecretExchanged, passed, request, sessionID: session.id),
                event(.appSessionOpened, passed, request, sessionID: session.id),
            ], request)
        let presented = Secret(passed.secret.expose())
        var response = try await tokens.answer(
            for: session, client: client, scope: passed.scope,
            extras: .init(
                refreshToken: refreshToken,
                // The next app can go on from here (WG issue #2169); the secret itself it has.
                deviceSecret: AttachedDeviceSecret(presented: presented, secret: nil),
                proofKeyThumbprint: request.proofKeyThumbprint),
            at: request.at)
        response.issuedTokenType = TokenTypeURI.accessToken
        return response
    }

    private func openForWebView(_ passed: GrantedExchange, _ request: TokenRequest) async throws -> TokenResponse {
        let client = request.client
        let secret = OpaqueSecret.make(.webSession, random: random)
        // From now, not from the parent's beginning: a session of an old app must not be born expired.
        let session = WebSession(
            id: SessionID.make(at: request.at, random: random), secretDigest: secret.digest,
            lineage: passed.session.exchanged(
                for: passed.bearerScope, at: request.at, lifetime: client.sessionLifetime),
            clientID: client.id, appClientID: passed.session.clientID, createdAt: request.at,
            idleLifetime: client.sessionIdle, lastSeenAt: request.at)
        let refresh = client.cookieProfile == .tokens ? cookies.makeRefresh() : nil
        try await use(
            passed, opening: .webSession(session, refreshDigest: refresh?.digest),
            events: [
                event(.deviceSecretExchanged, passed, request, sessionID: session.id),
                event(.webSessionOpened, passed, request, sessionID: session.id),
            ], request)
        webSessions.remember(session)
        let made =
            if let refresh {
                try cookies.cookies(
                    for: session, client: client, refresh: refresh, refreshPath: CookieTokens.refreshPath,
                    at: request.at)
            } else {
                SessionProfileCookies.make(for: session, secret: secret, at: request.at)
            }
        var response = TokenResponse(accessToken: made.accessToken, expiresIn: session.expiresAt - request.at)
        response.cookies = made.cookies
        response.cookieHost = client.publicOrigin?.host
        return response
    }

    private func use(
        _ passed: GrantedExchange, opening: DeviceSecretUse.Opening, events: [AuditEvent], _ request: TokenRequest
    ) async throws {
        let outcome = try await store.useDeviceSecret(
            digest: passed.secret.digest,
            for: DeviceSecretUse(at: request.at, sessionID: passed.session.id, opening: opening, events: events),
            overlap: passed.facts.settings.overlap,
            replayed: Ending(at: request.at, reason: "replayed", origin: request.origin))
        switch outcome {
        case .accepted: return
        case .refused(let flaw): throw try await refuse(NativeSSORefusal(flaw), passed, request)
        case .replayed(let ended):
            await endings.take(in: ended)
            throw try await refuse(.secretReplayed, passed, request)
        }
    }

    private func event(
        _ type: AuditEventType, _ passed: GrantedExchange, _ request: TokenRequest, sessionID: SessionID
    ) -> AuditEvent {
        AuditEvent(
            at: request.at, type: type, outcome: .success, reason: SessionOpening.tokenExchange.rawValue,
            subject: passed.session.subject, clientID: passed.session.clientID, targetClientID: request.client.id,
            sessionID: sessionID, origin: request.origin,
            detail: passed.facts.secret.map { DeviceSecrets.detail($0.device.id) })
    }
}

extension NativeSSOExchange {
    /// What an exchange with these parameters would come to, check by check; counts and opens nothing (contract §13).
    package func explain(_ parameters: FormParameters, origin: RequestOrigin, at now: Timestamp) async throws
        -> Explanation
    {
        var explanation = Explanation(rule: "native_sso")
        let client = parameters["client_id"].flatMap { clients.current[ClientID(rawValue: $0)] }
        let kind: NativeSSOFacts.SubjectToken.Kind? =
            switch parameters["subject_token_type"] {
            case TokenTypeURI.idToken?: .idToken
            case TokenTypeURI.accessToken?: .accessToken
            default: nil
            }
        let actorTypes = [TokenTypeURI.deviceSecret, TokenTypeURI.oldDeviceSecret]
        guard explanation.check("client is known", fails: client == nil ? "unknown_client" : nil), let client,
            explanation.check("subject_token_type", fails: kind == nil ? "subject_token_type" : nil), let kind,
            explanation.check(
                "actor_token_type",
                fails: parameters["actor_token_type"].map(actorTypes.contains) ?? false ? nil : "actor_token_type"),
            explanation.check(
                "subject_token is there", fails: parameters["subject_token"] == nil ? "missing_subject_token" : nil),
            let subjectToken = parameters["subject_token"]
        else { return explanation }
        let secret = parameters["actor_token"].flatMap { OpaqueSecret($0, kind: .deviceSecret) }
        let known: PresentedDeviceSecret? =
            if let secret { try await store.deviceSecret(digest: secret.digest) } else { nil }
        let facts = try await facts(
            ExchangeRequest(kind: kind, subjectToken: Secret(subjectToken), deviceSecret: Secret("")), secret: secret,
            known: known, settings: try await configuration.current(),
            request: TokenRequest(parameters: parameters, client: client, origin: origin, at: now))
        var flaws: Set<NativeSSORefusal> = []
        if case .refused(_, let all) = NativeSSOCheck.decide(facts) { flaws = Set(all) }
        for flaw in NativeSSORefusal.allCases {
            explanation.check(flaw.check, fails: flaws.contains(flaw) ? flaw.rawValue : nil)
        }
        return explanation
    }
}

extension NativeSSORefusal {
    /// What is checked, as an administrator reads it.
    var check: String {
        switch self {
        case .disabled: "Native SSO is on"
        case .clientNotEnabled: "client may use Native SSO"
        case .secretUnknown: "device secret is known"
        case .secretExpired: "device secret has not expired"
        case .secretRevoked: "device secret was not revoked"
        case .secretReplayed: "device secret was not replaced"
        case .secretWrongKey: "device secret comes with its key"
        case .subjectTokenInvalid: "subject token is ours and unchanged"
        case .subjectTokenWrongKey: "subject token comes with its key"
        case .hashMismatch: "ds_hash fits the device secret"
        case .subjectMismatch: "both are of one user"
        case .sessionEnded: "session lives"
        case .sessionElsewhere: "session is of this device"
        case .subjectDisabled: "user may sign in"
        case .crossClientOff: "exchange between apps is on"
        case .notShared: "client is in share_with"
        case .wrongAudience: "audience is this issuer"
        case .scopeWithoutOpenID: "scope contains openid"
        case .scopeTooWide: "scope is no wider than granted"
        case .consentNeeded: "user has agreed"
        case .authenticationTooWeak: "sign-in is strong and fresh enough"
        }
    }
}

extension NativeSSOExchange {
    /// Finds out everything that the check wants to know.
    func facts(
        _ order: ExchangeRequest, secret: OpaqueSecret?, known: PresentedDeviceSecret?, settings: NativeSSOSettings,
        request: TokenRequest
    ) async throws -> NativeSSOFacts {
        let token = try await subjectToken(order, at: request.at)
        let session = try await session(token?.sessionID, at: request.at)
        let client = request.client
        var consented: Set<String> = []
        // A website that gets cookies gets no data of the user through scopes, so there is nothing to agree to.
        let isAskedForConsent = !client.isFirstParty && client.delivery != .cookies
        if isAskedForConsent, let token {
            consented = try await consents.consent(of: token.subject, to: client.id) ?? []
        }
        return NativeSSOFacts(
            at: request.at, settings: settings, issuer: issuer, client: client,
            audience: request.parameters["audience"], requestedScope: try request.requestedScope(), secret: known,
            secretHash: secret?.deviceSecretHash, proofKeyThumbprint: request.proofKeyThumbprint,
            subjectToken: token, sourceClient: token.flatMap { clients.current[$0.clientID] }, session: session,
            isSubjectDisabled: try await isDisabled(token?.subject, at: request.at),
            hasConsent: { [consented] scope in !isAskedForConsent || Set(scope.tokens).isSubset(of: consented) })
    }

    private func subjectToken(_ order: ExchangeRequest, at now: Timestamp) async throws -> NativeSSOFacts.SubjectToken?
    {
        switch order.kind {
        case .idToken:
            try await tokens.idTokens.learnKey(of: order.subjectToken)
            return tokens.idTokens.read(order.subjectToken).map { token in
                NativeSSOFacts.SubjectToken(
                    kind: .idToken, subject: token.subject, clientID: token.audience, sessionID: token.sessionID,
                    deviceSecretHash: token.deviceSecretHash)
            }
        case .accessToken:
            do {
                let claims = try await accessTokens.active(order.subjectToken, at: now)
                return NativeSSOFacts.SubjectToken(
                    kind: .accessToken, subject: claims.subject, clientID: claims.clientID,
                    sessionID: claims.sessionID, scope: claims.scope, proofKeyThumbprint: claims.proofKeyThumbprint)
            } catch is BearerRefusal {
                return nil
            }
        }
    }

    /// One that lately was alive need not be read again: whether it still is, the transaction that uses the secret asks.
    private func session(_ id: SessionID?, at now: Timestamp) async throws -> AppSession? {
        guard let id else { return nil }
        if let session = try await sessions.alive(id, at: now) { return session }
        return try await appSessions.appSession(id: id)
    }

    private func isDisabled(_ subject: Subject?, at now: Timestamp) async throws -> Bool {
        guard let subject else { return false }
        return try await subjects.isDisabled(subject, at: now)
    }
}
