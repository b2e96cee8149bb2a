import Bridge
import OAuth2

/// Devices and the sessions they hang on.
enum DeviceSample {
    static let overlap = Duration.seconds(30)
    static let limit = DeviceSecretLimit(count: 3, behavior: .revokeOldest)

    static func session(
        _ name: String, subject: Subject = "alice", device: DeviceSecretID? = nil, parent: SessionID? = nil
    ) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "app-\(name)"), subject: subject, clientID: "app",
            scope: Scope(tokens: [Scope.openID, Scope.deviceSSO]), opening: .authorize,
            authentication: Authentication(), deviceSecretID: device, parentID: parent, createdAt: Sample.now,
            expiresAt: Sample.now + .seconds(86_400))
    }

    /// One that was granted in a browser's session.
    static func granted(_ name: String, in browser: SessionID, device: DeviceSecretID? = nil) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "app-\(name)"), subject: "alice", clientID: "app",
            scope: Scope(tokens: [Scope.openID, Scope.deviceSSO]), opening: .loginToken,
            authentication: Authentication(), browserSessionID: browser, deviceSecretID: device,
            createdAt: Sample.now, expiresAt: Sample.now + .seconds(86_400))
    }

    static func device(
        _ name: String, subject: Subject = "alice", client: ClientID = "app", at: Timestamp = Sample.now,
        lifetime: Duration = .seconds(3600)
    ) -> DeviceSecret {
        DeviceSecret(
            id: DeviceSecretID(rawValue: "device-\(name)"), subject: subject, clientID: client,
            sessionID: SessionID(rawValue: "app-\(name)"), name: "Phone \(name)", platform: "iOS", createdAt: at,
            expiresAt: at + lifetime)
    }

    /// A web session below the device's app session.
    static func web(
        _ name: String, below device: String, on website: ClientID = "web", at: Timestamp = Sample.now,
        opening: SessionOpening = .tokenExchange
    ) -> WebSession {
        WebSession(
            id: SessionID(rawValue: "web-\(name)"), secretDigest: "web-digest-\(name)", subject: "alice",
            clientID: website, appClientID: "app", parentID: SessionID(rawValue: "app-\(device)"), loginTokenID: nil,
            opening: opening, authentication: Authentication(), createdAt: at, expiresAt: at + .seconds(3600),
            idleLifetime: .seconds(600), lastSeenAt: at)
    }

    static func use(
        _ name: String, web: WebSession? = nil, at: Timestamp = Sample.now, atMost count: Int? = nil
    ) -> DeviceSecretUse {
        let limit = count.map { WebViewLimit(count: $0, displaced: Ending.sample(.tooManyOfDevice, at: at)) }
        return DeviceSecretUse(
            at: at, sessionID: SessionID(rawValue: "app-\(name)"),
            opening: .webSession(web ?? self.web(name, below: name), refreshDigest: nil, limit: limit),
            events: [Sample.event(.deviceSecretExchanged, at: at)])
    }
}

extension BridgeStorage {
    /// Opens an app session and gives it a device whose secret's digest is `digest-<name>`.
    func issueSample(
        _ name: String, subject: Subject = "alice", client: ClientID = "app", at: Timestamp = Sample.now,
        lifetime: Duration = .seconds(3600), limit: DeviceSecretLimit = DeviceSample.limit
    ) async throws -> DeviceSecretIssueOutcome {
        _ = try await open(DeviceSample.session(name, subject: subject), refreshToken: nil, events: [])
        return try await issueDeviceSecret(
            DeviceSample.device(name, subject: subject, client: client, at: at, lifetime: lifetime),
            digest: "digest-\(name)", limit: limit,
            event: Sample.event(.deviceSecretIssued, at: at), displaced: Ending.sample(.limit, at: at),
            rejected: Sample.event(.deviceSecretWithheld, at: at))
    }

    func useSample(_ digest: String, _ use: DeviceSecretUse) async throws -> DeviceSecretUseOutcome {
        try await useDeviceSecret(
            digest: digest, for: use, overlap: DeviceSample.overlap,
            replayed: Ending.sample(.replayed, at: use.at))
    }

    func rotateSample(
        _ digest: String, to successor: String, at: Timestamp = Sample.now
    ) async throws -> DeviceSecretUseOutcome {
        try await rotateDeviceSecret(
            digest: digest, to: successor, at: at, overlap: DeviceSample.overlap,
            event: Sample.event(.deviceSecretRotated, at: at), replayed: Ending.sample(.replayed, at: at))
    }
}

extension DeviceSecretUseOutcome {
    var isAccepted: Bool { if case .accepted = self { true } else { false } }
    var isReplay: Bool { if case .replayed = self { true } else { false } }
}
