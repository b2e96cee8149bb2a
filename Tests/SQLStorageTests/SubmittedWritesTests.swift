import Bridge
import OAuth2
import StorageConformance
import Testing

@testable import SQLStorage

/// What a write does that it need not wait for: it travels with what is asked next, or after the commit.
@Suite struct SubmittedWritesTests {
    typealias Place = AnticipationTests.Place

    @Test(arguments: Place.present)
    func `redemptions in browsers where apps signed in undo nothing, beside one of a code`(place: Place) async throws {
        try await place.with { storage, log in
            let signIns = ["a", "b", "c"].map { Visit(name: $0) }
            let visits = [Visit(name: "d", replaced: "session-a"), Visit(name: "e", replaced: "session-b")]
            try await storage.issue(signIns + visits)
            for visit in signIns { #expect(try await storage.redeem(visit) == .opened) }
            try await storage.openApp("a", browser: "session-a")
            try await storage.openApp("b", browser: "session-b")
            #expect(try await storage.recordCode(Self.code, event: .sample(.authorizationCodeIssued)))
            log.clear()
            let outcomes: [Result<Bool, any Error>] = try await storage.inOneBatch([
                { try await storage.redeem(visits[0], by: "alice") == .opened },
                {
                    try await storage.redeemCode(
                        digest: "code", opening: .sample("c", browser: "session-c"), refreshToken: nil, at: Visit.now,
                        events: []) == .opened
                },
                { try await storage.redeem(visits[1], by: "alice") == .opened },
            ])
            #expect(try outcomes.values() == [true, true, true])
            #expect(log.entries.ahead == [11])
            // One message of both ends, where nodes are told.
            #expect(log.entries.alone == (storage.dialect.sessionEndNews.map { [$0.text] } ?? []))
            #expect(log.entries.rollbacks == 0)
            for (name, browser) in [("a", "session-d"), ("b", "session-e"), ("c", "session-c")] {
                let app = try await storage.appSession(id: SessionID(rawValue: "app-\(name)"))
                #expect(app?.browserSessionID?.rawValue == browser)
            }
        }
    }

    @Test(arguments: Place.present, [true, false])
    func `a sign-out at a provider reaches what a redemption of the same batch moves on`(
        place: Place, comesFirst: Bool
    ) async throws {
        try await place.with { storage, _ in
            let visit = Visit(name: "d", replaced: "session-a")
            try await storage.issue([visit])
            let origin = UpstreamSession(issuer: "https://a.example", subject: "u", session: "s")
            #expect(
                try await storage.open(
                    Visit(name: "a").session, replacing: nil, provenBy: .upstream(origin), events: []))
            try await storage.openApp("a", browser: "session-a")
            let token = LogoutToken(
                issuer: origin.issuer, reach: .user("u"), id: "t", madeAfter: Visit.now - .seconds(30),
                usableUntil: Visit.now + .seconds(150))
            let redemption: @Sendable () async throws -> Bool = {
                try await storage.redeem(visit, by: "alice") == .opened
            }
            let signOut: @Sendable () async throws -> Bool = {
                let ending = Ending.sample(.upstreamSignedOut, at: Visit.now, extent: .signOut)
                return try await storage.end(namedBy: token, ending) != nil
            }
            let outcomes = try await storage.inOneBatch(comesFirst ? [signOut, redemption] : [redemption, signOut])
            #expect(try outcomes.values() == [true, true])
            #expect(try await storage.appSession(id: "app-a")?.endedAt == Visit.now)
            #expect(try await storage.session(id: "session-d")?.endedAt == nil)
        }
    }

    @Test(arguments: Place.present)
    func `an end does not wait for the codes that go with it`(place: Place) async throws {
        try await place.with { storage, log in
            try await storage.issue([Visit(name: "c")])
            #expect(try await storage.redeem(Visit(name: "c")) == .opened)
            #expect(try await storage.recordCode(Self.code, event: .sample(.authorizationCodeIssued)))
            log.clear()
            _ = try await storage.end(.webSession("session-c"), .sample(at: Visit.now))
            #expect(!log.entries.alone.contains { $0.contains("authorization_code") && $0.hasPrefix("DELETE") })
            #expect(try await storage.code(digest: "code") == nil)
        }
    }

    @Test(arguments: Place.present)
    func `an end of everything of a user waits for few statements, however much that is`(place: Place) async throws {
        try await place.with { storage, log in
            try await storage.changeLogoutSubscribers(adding: ["web"], removing: [])
            try await storage.changeWebhookSubscribers(adding: ["web"], removing: [])
            try await storage.write { transaction in
                for number in 0..<1001 {
                    let session = Visit(name: "v\(number)").session
                    try transaction.run(WebSessionSQL.insert, session.newRow(by: nil))
                }
            }
            log.clear()
            #expect(try await storage.end(.user("alice"), .sample(at: Visit.now)).sessions.count == 1001)
            #expect(log.entries.alone.count < 50, "\(log.entries.alone)")
            let notices = try await storage.read { session in
                try session.run(
                    """
                    SELECT (SELECT count(*) FROM logout_notice), (SELECT count(*) FROM webhook_notice), id, reason
                    FROM webhook_notice WHERE object_id = 'session-v1000'
                    """)
            }
            #expect(
                notices.map(\.values) == [
                    [
                        .integer(1001), .integer(1001), .text("web_session.ended:session-v1000"),
                        .text("administrator"),
                    ]
                ])
        }
    }

    @Test(arguments: Place.present)
    func `a consent that is taken back waits for few statements, however many sessions it led to`(place: Place)
        async throws
    {
        try await place.with { storage, log in
            try await storage.rememberConsent(
                of: "alice", to: "app", scopes: ["openid"], at: Visit.now, event: .sample(.consentGranted))
            try await storage.write { transaction in
                for number in 0..<1001 {
                    try transaction.run(AppSessionSQL.insert, AppSession.sample("\(number)").columns)
                }
            }
            log.clear()
            let ended = try await storage.forgetConsent(
                of: "alice", to: "app", .sample(at: Visit.now), event: .sample(.consentWithdrawn))
            #expect(ended?.sessions.count == 1001)
            #expect(log.entries.alone.count < 50, "\(log.entries.alone)")
        }
    }

    @Test(arguments: Place.present)
    func `an end stands although word of it cannot be sent`(place: Place) async throws {
        try await place.with { storage, log in
            let engine = RemoteEngine(engine: storage.engine, log: log, sessionEndNews: "SELECT no_such_function($1)")
            let deaf = DurableStorage(engine: engine, auditor: .sample(node: "deaf"), time: .system)
            try await deaf.issue([Visit(name: "a")])
            #expect(try await deaf.redeem(Visit(name: "a")) == .opened)
            log.clear()
            _ = try await deaf.end(.webSession("session-a"), .sample(at: Visit.now))
            #expect(try await storage.session(id: "session-a")?.endedAt == Visit.now)
            #expect(log.entries.rollbacks == 0)
        }
    }

    @Test(arguments: Place.present)
    func `refreshes that keep or add a device secret wait together with a redemption`(place: Place) async throws {
        try await place.with { storage, log in
            let visit = Visit(name: "v")
            try await storage.issue([visit])
            try await storage.openApp("a")
            try await storage.addDevice()
            log.clear()
            let outcomes: [Result<Bool, any Error>] = try await storage.inOneBatch([
                { try await storage.attach("app-a", to: "device", at: Visit.now) },
                {
                    try await storage.addDeviceSecret(
                        digest: "second", to: "device", for: "app-a", at: Visit.now, keeping: 4,
                        event: .sample(.deviceSecretIssued)) == .added
                },
                { try await storage.redeem(visit) == .opened },
            ])
            #expect(try outcomes.values() == [true, true, true])
            #expect(log.entries.ahead == [10])
            #expect(log.entries.alone == [])
            #expect(log.entries.rollbacks == 0)
            #expect(try await storage.deviceSecret(digest: "second")?.device.id == "device")
        }
    }

    @Test(arguments: Place.present)
    func `a use of a device secret reads it once, while its device is held`(place: Place) async throws {
        try await place.with { storage, log in
            try await storage.openApp("a")
            try await storage.addDevice()
            let use = DeviceSecretUse(
                at: Visit.now, sessionID: "app-a",
                opening: .webSession(Visit(name: "v").session, refreshDigest: nil, limit: nil), events: [.sample()])
            log.clear()
            let outcome = try await storage.useDeviceSecret(
                digest: "first", for: use, overlap: .seconds(60), replayed: .sample())
            guard case .accepted(let device, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(device.id == "device")
            #expect(log.entries.ahead == [5])
            #expect(log.entries.alone == [])
            #expect(log.entries.rollbacks == 0)
            #expect(try await storage.deviceSecret(id: "device")?.useCount == 1)
        }
    }

    /// Issued in the browser's session of the visit `c`.
    private static let code = IssuedAuthorizationCode(
        digest: "code",
        grant: AuthorizationGrant(
            clientID: "app", redirectURI: "com.example.app:/callback", codeChallenge: nil,
            scope: Scope(tokens: ["openid"]), subject: "alice", authentication: Authentication(),
            browserSessionID: "session-c"),
        issuedAt: Visit.now, expiresAt: Visit.now + .seconds(60))
}

extension DurableStorage {
    /// Opens an app's session of alice's, `app-` and the name.
    fileprivate func openApp(_ name: String, browser: SessionID? = nil) async throws {
        let outcome = try await open(.sample(name, browser: browser), refreshToken: nil, events: [])
        #expect(outcome == .opened)
    }

    /// Gives the session `app-a` a device whose secret's digest is `first`.
    fileprivate func addDevice() async throws {
        let device = DeviceSecret(
            id: "device", subject: "alice", clientID: "app", sessionID: "app-a", name: nil, createdAt: Visit.now,
            expiresAt: Visit.now + .seconds(3600))
        _ = try await issueDeviceSecret(
            device, digest: "first", limit: DeviceSecretLimit(count: 3, behavior: .revokeOldest),
            event: .sample(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
    }
}

extension AppSession {
    fileprivate static func sample(_ name: String, browser: SessionID? = nil) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "app-\(name)"), subject: "alice", clientID: "app",
            scope: Scope(tokens: ["openid"]), opening: .authorize, authentication: Authentication(),
            browserSessionID: browser, createdAt: Visit.now, expiresAt: Visit.now + .seconds(3600))
    }
}
