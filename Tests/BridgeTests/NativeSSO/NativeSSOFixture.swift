import Bridge
import OAuth2
import StorageConformance

/// An exchange that passes; tests spoil one fact each.
enum NativeSSOFixture {
    static let now = Timestamp(milliseconds: 1_763_708_400_000)
    static let issuer = "https://id.example.com"
    static let sessionID: SessionID = "sid-a"

    static func app(_ id: ClientID, shares: Set<ClientID> = [], _ change: (inout Client) -> Void = { _ in }) -> Client {
        var client = Client(id: id, name: id.rawValue, kind: .native)
        client.isNativeSSOEnabled = true
        client.shareWith = shares
        change(&client)
        return client
    }

    static func device(
        subject: Subject = "alice", expiresAt: Timestamp = now + .seconds(86_400), revokedAt: Timestamp? = nil,
        keyThumbprint: String? = nil
    ) -> DeviceSecret {
        DeviceSecret(
            id: "device", subject: subject, clientID: "app-a", sessionID: sessionID, createdAt: now - .seconds(60),
            expiresAt: expiresAt, keyThumbprint: keyThumbprint, revokedAt: revokedAt)
    }

    static func session(
        endedAt: Timestamp? = nil, expiresAt: Timestamp = now + .seconds(86_400),
        authentication: Authentication = Authentication()
    ) -> AppSession {
        AppSession(
            id: sessionID, subject: "alice", clientID: "app-a",
            scope: Scope(tokens: ["openid", "profile", "offline_access", "device_sso"]), opening: .authorize,
            authentication: authentication, createdAt: now - .seconds(60), expiresAt: expiresAt, endedAt: endedAt)
    }

    static func facts(_ change: (inout NativeSSOFacts) -> Void = { _ in }) -> NativeSSOFacts {
        var settings = NativeSSOSettings()
        settings.isEnabled = true
        settings.allowsCrossClient = true
        var facts = NativeSSOFacts(
            at: now, settings: settings, issuer: issuer, client: app("app-b"),
            secret: PresentedDeviceSecret(device: device(), place: .current, sessions: [signIn()]),
            secretHash: "hash",
            subjectToken: .init(
                kind: .idToken, subject: "alice", clientID: "app-a", sessionID: sessionID, deviceSecretHash: "hash"),
            sourceClient: app("app-a", shares: ["app-b"]), session: session(), hasConsent: { _ in true })
        change(&facts)
        return facts
    }

    /// A sign-in below the device, of the first app unless said otherwise.
    static func signIn(
        _ id: SessionID = sessionID, of client: ClientID = "app-a", subject: Subject = "alice",
        opening: SessionOpening = .authorize, scope: [String] = ["openid", "profile"],
        expiresAt: Timestamp = now + .seconds(86_400)
    ) -> PresentedDeviceSecret.Session {
        PresentedDeviceSecret.Session(
            id: id, subject: subject, clientID: client, opening: opening, scope: Scope(tokens: scope),
            expiresAt: expiresAt)
    }

    /// The flaw that is told; `nil` when the exchange passes.
    static func flaw(_ change: (inout NativeSSOFacts) -> Void) -> NativeSSORefusal? {
        guard case .refused(let flaw, _) = NativeSSOCheck.decide(facts(change)) else { return nil }
        return flaw
    }
}

/// Types of RFC 8693 §3 that are not taken here.
extension TokenTypeURI {
    static let refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    static let jwt = "urn:ietf:params:oauth:token-type:jwt"
}
