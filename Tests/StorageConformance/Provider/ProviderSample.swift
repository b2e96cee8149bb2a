import Bridge
import OAuth2

extension Sample {
    static func grant(
        subject: Subject = "alice", browser: SessionID? = nil, scope: [String] = ["openid"]
    ) -> AuthorizationGrant {
        AuthorizationGrant(
            clientID: "app", redirectURI: "com.example.app:/callback",
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
        _ name: String, subject: Subject = "alice", browser: SessionID? = nil, parent: SessionID? = nil,
        device: DeviceSecretID? = nil, scope: [String] = ["openid"], wantsNotice: Bool = false,
        lifetime: Duration = .seconds(3600)
    ) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "app-\(name)"), subject: subject, clientID: "app", scope: Scope(tokens: scope),
            opening: .authorize, authentication: Authentication(time: now, acr: "aal1", amr: ["pwd"]),
            browserSessionID: browser, deviceSecretID: device, parentID: parent,
            requestedClaims: RequestedClaims(userInfo: ["name"], idToken: []), wantsLogoutNotice: wantsNotice,
            createdAt: now, expiresAt: now + lifetime)
    }

    static func refreshToken(_ name: String, of session: AppSession) -> RefreshTokenRecord {
        RefreshTokenRecord(
            digest: "refresh-\(name)", sessionID: session.id, scope: session.scope, proofKeyThumbprint: "jkt",
            issuedAt: now, expiresAt: now + .seconds(1800))
    }

    static let ended = event(.appSessionEnded, reason: "because")
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
