import OAuth2

/// Opens what the asking client of a Native SSO exchange is given: an app's session with its tokens, or a web view's
/// with its cookies.
package final class NativeSSOOpening: Sendable {
    private let store: any DeviceStore
    private let tokens: SessionTokens
    private let refreshTokens: RefreshTokens
    private let cookies: CookieTokens
    private let webSessions: WebSessions
    private let endings: SessionEndings
    private let webSessionsPerDevice: Int?
    private let random: RandomSource

    /// - Parameter webSessionsPerDevice: how many living web sessions a device may have at one website; `nil` sets no
    ///   limit.
    package init(
        store: any DeviceStore, tokens: SessionTokens, refreshTokens: RefreshTokens, cookies: CookieTokens,
        webSessions: WebSessions, endings: SessionEndings, webSessionsPerDevice: Int?, random: RandomSource = .system
    ) {
        self.store = store
        self.tokens = tokens
        self.refreshTokens = refreshTokens
        self.cookies = cookies
        self.webSessions = webSessions
        self.endings = endings
        self.webSessionsPerDevice = webSessionsPerDevice
        self.random = random
    }

    /// An exchange whose every check held.
    struct Granted: Sendable {
        let secret: OpaqueSecret
        let session: AppSession
        let scope: Scope
        let facts: NativeSSOFacts

        /// What a web view gets: what the app's access token may be used for (of an ID token, all that its session
        /// may), or as much of it as the app asks for.
        var webViewScope: Scope {
            let held = facts.stillGranted(facts.subjectToken?.scope ?? session.scope)
            return facts.requestedScope.map(held.intersection) ?? held
        }
    }

    /// In the same transaction as the secret's use is counted.
    /// - Throws: ``NativeSSORefusal`` for what the store found in the end; then nothing was opened.
    func open(_ passed: Granted, _ request: TokenRequest) async throws -> TokenResponse {
        if request.client.delivery == .cookies { return try await openForWebView(passed, request) }
        let client = request.client
        let session = AppSession(
            id: SessionID.make(at: request.at, random: random),
            lineage: passed.session.exchanged(
                for: passed.scope, at: request.at, lifetime: refreshTokens.sessionLifetime),
            clientID: client.id, deviceSecretID: passed.facts.secret?.device.id,
            wantsLogoutNotice: client.backchannelLogoutURI != nil, createdAt: request.at)
        let refreshToken = client.grantTypes.contains(.refreshToken) ? refreshTokens.make(at: request.at) : nil
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
        var response = try await tokens.answer(
            for: session, client: client, scope: passed.scope,
            extras: .init(
                refreshToken: refreshToken,
                // The next app can go on from here (WG issue #2169); the secret itself it has.
                deviceSecret: AttachedDeviceSecret(passed.secret, isTold: false),
                proofKeyThumbprint: request.proofKeyThumbprint),
            at: request.at)
        response.issuedTokenType = TokenTypeURI.accessToken
        return .tokens(response)
    }

    private func openForWebView(_ passed: Granted, _ request: TokenRequest) async throws -> TokenResponse {
        let client = request.client
        let secret = OpaqueSecret.make(.webSession, at: request.at, random: random)
        // From now, not from the parent's beginning: a session of an old app must not be born expired.
        let session = WebSession(
            id: SessionID.make(at: request.at, random: random), secretDigest: secret.digest,
            lineage: passed.session.exchanged(
                for: passed.webViewScope, at: request.at, lifetime: client.sessionLifetime),
            clientID: client.id, appClientID: passed.session.clientID, createdAt: request.at,
            idleLifetime: client.sessionIdle, lastSeenAt: request.at)
        let refresh = client.cookieProfile == .tokens ? cookies.makeRefresh(at: request.at) : nil
        let limit = webSessionsPerDevice.map { count in
            WebViewLimit(
                count: count,
                displaced: Ending(at: request.at, reason: .tooManyOfDevice, origin: request.origin))
        }
        try await use(
            passed, opening: .webSession(session, refreshDigest: refresh?.digest, limit: limit),
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
        return .cookies(DeliveredCookies(made.cookies, host: client.publicOrigin?.host))
    }

    private func use(
        _ passed: Granted, opening: DeviceSecretUse.Opening, events: [AuditEvent], _ request: TokenRequest
    ) async throws {
        let outcome = try await store.useDeviceSecret(
            digest: passed.secret.digest,
            for: DeviceSecretUse(at: request.at, sessionID: passed.session.id, opening: opening, events: events),
            overlap: passed.facts.settings.overlap,
            replayed: Ending(at: request.at, reason: .replayed, origin: request.origin))
        switch outcome {
        case .accepted(_, let ended): await endings.take(in: ended)
        case .refused(let flaw): throw NativeSSORefusal(flaw)
        case .replayed(let ended):
            await endings.take(in: ended)
            throw NativeSSORefusal.secretReplayed
        }
    }

    private func event(
        _ type: AuditEventType, _ passed: Granted, _ request: TokenRequest, sessionID: SessionID
    ) -> AuditEvent {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.deviceSecretID, passed.facts.secret?.device.id.rawValue)
        // The secret alone does not say from which session: the apps of a device share it.
        detail.add(AuditDetail.parent, passed.session.id.rawValue)
        return AuditEvent(
            at: request.at, type: type, outcome: .success, reason: SessionOpening.tokenExchange.rawValue,
            subject: passed.session.subject, clientID: passed.session.clientID, targetClientID: request.client.id,
            sessionID: sessionID, origin: request.origin, detail: detail.finishedText())
    }
}
