import OAuth2

extension NativeSSOExchange {
    /// Opens what the asking client is given, in the same transaction as the secret's use is counted.
    func open(_ passed: Passed, _ request: TokenRequest) async throws -> TokenResponse {
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

    private func openForWebView(_ passed: Passed, _ request: TokenRequest) async throws -> TokenResponse {
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
        _ passed: Passed, opening: DeviceSecretUse.Opening, events: [AuditEvent], _ request: TokenRequest
    ) async throws {
        let outcome = try await store.useDeviceSecret(
            digest: passed.secret.digest,
            for: DeviceSecretUse(at: request.at, sessionID: passed.session.id, opening: opening, events: events),
            overlap: passed.facts.settings.overlap,
            replayed: Ending(at: request.at, reason: "replayed", origin: request.origin))
        switch outcome {
        case .accepted: return
        case .refused(let flaw): throw try await refuse(NativeSSOFlaw(flaw), passed, request)
        case .replayed(let ended):
            await endings.take(in: ended)
            throw try await refuse(.secretReplayed, passed, request)
        }
    }

    private func event(
        _ type: AuditEventType, _ passed: Passed, _ request: TokenRequest, sessionID: SessionID
    ) -> AuditEvent {
        AuditEvent(
            at: request.at, type: type, outcome: .success, reason: SessionOpening.tokenExchange.rawValue,
            subject: passed.session.subject, clientID: passed.session.clientID, targetClientID: request.client.id,
            sessionID: sessionID, origin: request.origin,
            detail: passed.facts.secret.map { DeviceSecrets.detail($0.device.id) })
    }
}
