import Bridge
import OAuth2

extension Sample {
    static func grant(
        client: ClientID = "app", subject: Subject = "alice", browser: SessionID = browser, scope: [String] = ["openid"]
    ) -> AuthorizationGrant {
        AuthorizationGrant(
            clientID: client, redirectURI: "com.example.app:/callback",
            codeChallenge: CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), nonce: "nönce",
            scope: Scope(tokens: scope), subject: subject,
            authentication: Authentication(time: now, acr: "aal2", amr: ["pwd", "otp"]), browserSessionID: browser,
            requestedClaims: RequestedClaims(userInfo: ["name"], idToken: ["email"]), proofKeyThumbprint: "jkt")
    }

    static func code(_ name: String, grant: AuthorizationGrant = grant()) -> IssuedAuthorizationCode {
        IssuedAuthorizationCode(
            digest: "code-\(name)", grant: grant, issuedAt: now, expiresAt: now + .seconds(60))
    }

    static func appSession(
        _ name: String, subject: Subject = "alice", client: ClientID = "app", browser: SessionID? = nil,
        parent: SessionID? = nil,
        device: DeviceSecretID? = nil, scope: [String] = ["openid"], wantsNotice: Bool = false,
        age: Duration = .zero, lifetime: Duration = .seconds(3600)
    ) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "app-\(name)"), subject: subject, clientID: client, scope: Scope(tokens: scope),
            opening: .authorize, authentication: Authentication(time: now, acr: "aal1", amr: ["pwd"]),
            browserSessionID: browser, deviceSecretID: device, parentID: parent,
            requestedClaims: RequestedClaims(userInfo: ["name"], idToken: []), wantsLogoutNotice: wantsNotice,
            createdAt: now - age, expiresAt: now + lifetime)
    }

    static func refreshToken(_ name: String, of session: AppSession) -> RefreshTokenRecord {
        RefreshTokenRecord(
            digest: "refresh-\(name)", sessionID: session.id, scope: session.scope, proofKeyThumbprint: "jkt",
            issuedAt: now, expiresAt: now + .seconds(1800))
    }

    /// The browser's session that codes are issued in; see ``BridgeStorage/openBrowser(_:)``.
    static let browser: SessionID = "session-browser"
}

extension BridgeStorage {
    /// Opens a browser's session by a sign-in.
    @discardableResult
    func openBrowser(_ name: String = "browser", subject: Subject = "alice") async throws -> SessionID {
        let session = WebSession(
            id: SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)",
            lineage: .signIn(
                of: subject, authentication: Authentication(time: Sample.now, acr: "aal1", amr: ["pwd"]),
                at: Sample.now, lifetime: .seconds(3600)),
            clientID: "web", createdAt: Sample.now, idleLifetime: .seconds(600), lastSeenAt: Sample.now)
        if try await self.session(id: session.id) == nil {
            try expectEqual(try await open(session, replacing: nil, events: []), true, "the browser's session")
        }
        return session.id
    }

    func browserSession() async throws -> WebSession {
        guard let session = try await session(id: Sample.browser) else {
            throw ConformanceFailure(description: "the browser has no session")
        }
        return session
    }

    /// Records the code named `name`, issued in the browser's session.
    func recordSample(_ name: String) async throws {
        try await openBrowser()
        let isRecorded = try await recordCode(Sample.code(name), event: Sample.event(.authorizationCodeIssued))
        try expectEqual(isRecorded, true, "the code's record")
    }
}

extension ProviderStorage {
    /// Opens a session named `name`, with a refresh token of that name.
    func openSample(_ session: AppSession, refreshToken name: String? = nil) async throws {
        let outcome = try await open(
            session, refreshToken: name.map { Sample.refreshToken($0, of: session) },
            events: [Sample.event(.appSessionOpened)])
        try expectEqual(outcome, .opened, "the session's opening")
    }
}
