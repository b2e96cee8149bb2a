package import Bridge

/// What every ``GrantStore`` and ``RequestStore`` must do, and opening a session without a login token.
package enum AuthorizationStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("consent grows, for one user and one client") { open in
            let store = try await open()
            try expectEqual(try await store.consent(of: "alice", to: "app"), nil, "before")
            try await store.remember(["openid"])
            try await store.remember(["email"])
            try expectEqual(try await open().consent(of: "alice", to: "app"), ["openid", "email"], "both")
            try expectEqual(try await store.consent(of: "bob", to: "app"), nil, "bob's")
            try expectEqual(try await store.consent(of: "alice", to: "other"), nil, "the other client's")
            try expectEqual(try await store.events(.consentGranted).count, 2, "events")
        },
        ConformanceCase("of scopes that a user agrees to at once on two servers every one is kept") { open in
            let servers = [try await open(), try await open()]
            let scopes = (0..<20).map { "scope-\($0)" }
            _ = try await concurrently(scopes.count) { number in
                try await servers[number % 2].remember([scopes[number]])
            }
            try expectEqual(try await servers[0].consent(of: "alice", to: "app"), Set(scopes), "kept")
        },
        ConformanceCase("what a user agreed to is listed, the latest first, and nobody else's") { open in
            let store = try await open()
            try await store.remember(["openid"])
            try await store.remember(["email", "openid"], to: "later", at: Sample.now + .seconds(1))
            try await store.remember(["openid"], of: "bob")
            let later = Consent(
                clientID: "later", scopes: ["email", "openid"], agreedAt: Sample.now + .seconds(1))
            let first = Consent(clientID: "app", scopes: ["openid"], agreedAt: Sample.now)
            try expectEqual(try await open().consents(of: "alice"), [later, first], "alice's")
            try expectEqual(try await store.consents(of: "carol"), [], "nobody's")
        },
        takenBack,
        codesOfOthers,
        ConformanceCase("a consent that is taken back on two servers at once is taken back by one") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].remember(["openid"])
            let wasThere = try await concurrently(10) { number in
                try await servers[number % 2].forgetSample() != nil
            }
            try expectEqual(wasThere.count { $0 }, 1, "taken back")
            try expectEqual(try await servers[0].events(.consentWithdrawn).count, 1, "events")
        },
        redeemedMeanwhile,
        impossibleClient,
        ConformanceCase("a pushed request is used up by one of many") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].storePushedRequest(Sample.pushed("d"))
            try expectEqual(try await servers[1].pushedRequest(digest: "d"), Sample.pushed("d"), "stored")
            let claims = try await concurrently(20) { number in
                try await servers[number % 2].consume("d")
            }
            try expectEqual(claims.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].pushedRequest(digest: "d")?.usedAt, Sample.now, "used")
        },
        ConformanceCase("a pushed request that was purged while its user signed in is used up by one") { open in
            let store = try await open()
            try await store.storePushedRequest(Sample.pushed("d"))
            let late = Sample.now + .seconds(200)
            try expectEqual(try await store.purgePushedRequests(expiredBefore: late, limit: 9), 1, "purged")
            try expectEqual(try await store.consume("d", at: late), true, "the first")
            try expectEqual(try await store.consume("d", at: late), false, "the second")
        },
        ConformanceCase("a pushed request from before the database was restored is used up by nobody") { open in
            let store = try await open()
            try await store.storePushedRequest(Sample.pushed("d"))
            _ = try await store.recordRestore(
                by: .login("root"), at: Sample.now + .seconds(1), keepsSessions: true, reason: nil)
            try expectEqual(
                try await store.consume("d", at: Sample.now + .seconds(2)), false, "its use may be forgotten")
        },
        ConformanceCase("pushed requests are purged once they have expired") { open in
            let store = try await open()
            for (name, age) in [("a", 1), ("b", 2), ("c", 300)] {
                try await store.storePushedRequest(Sample.pushed(name, lifetime: .seconds(age)))
            }
            let cutoff = Sample.now + .seconds(60)
            try expectEqual(try await store.purgePushedRequests(expiredBefore: cutoff, limit: 1), 1, "first")
            try expectEqual(try await store.purgePushedRequests(expiredBefore: cutoff, limit: 9), 1, "second")
            try expectEqual(try await store.pushedRequest(digest: "c") != nil, true, "the living one")
        },
        ConformanceCase("a session is opened in another's place, with its events") { open in
            let store = try await open()
            try expectEqual(try await store.openSample("one"), true, "first")
            let replaced = ReplacedSession.sample(Sample.session("one"))
            try expectEqual(try await store.openSample("two", replacing: replaced), true, "second")
            try expectEqual(try await store.session(id: "session-one")?.endedAt, Sample.now, "the first's end")
            try expectEqual(try await store.session(secretDigest: "digest-two")?.endedAt, nil, "the second's end")
            try expectEqual(try await store.events(.webSessionOpened).count, 2, "opened")
            try expectEqual(try await store.events(.webSessionEnded).map(\.sessionID), ["session-one"], "ended")
        },
        ConformanceCase("a disabled user's session is not opened, and the one before stays") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            try await store.change("alice", UserChange(isDisabled: true))
            try expectEqual(try await store.openSample("one"), false, "opened")
            try expectEqual(try await store.session(id: "session-one"), nil, "session")
            try expectEqual(try await store.events(.webSessionOpened).count, 0, "events")
        },
        ConformanceCase("a session that has ended is not raised, and one that lives is raised by one of many") { open in
            let servers = [try await open(), try await open()]
            try expectEqual(try await servers[0].openSample("one"), true, "first")
            let outcomes = try await concurrently(10) { number in
                try await servers[number % 2].openSample("raised-\(number)", replacing: Self.raised)
            }
            try expectEqual(outcomes.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].openSample("late", replacing: Self.raised), false, "late")
            try expectEqual(try await servers[0].session(id: "session-late"), nil, "the late one")
            try expectEqual(try await servers[0].events(.webSessionOpened).count, 2, "opened")
            try expectEqual(try await servers[0].events(.webSessionEnded).count, 1, "ended")
        },
        ConformanceCase("what apps were granted under a session goes on under the raised one") { open in
            let store = try await open()
            try expectEqual(try await store.openSample("one"), true, "first")
            try await store.openSample(Sample.appSession("a", browser: "session-one"), refreshToken: "a")
            try await store.openSample(Sample.appSession("b", browser: "session-other"), refreshToken: "b")
            try expectEqual(try await store.openSample("two", replacing: Self.raised), true, "raised")
            try expectEqual(try await store.appSession(id: "app-a")?.endedAt, nil, "before the sign-out")
            let ended = try await store.end(.webSession("session-two"), .sample(extent: .signOut))
            try expectEqual(ended.sessions, ["session-two", "app-a"], "sign-out")
            try expectEqual(try await store.appSession(id: "app-a")?.endedAt, Sample.now, "after the sign-out")
            try expectEqual(try await store.appSession(id: "app-b")?.endedAt, nil, "the other session's")
        },
        ConformanceCase("a code goes on under the raised session, as strong as it was issued") { open in
            let store = try await open()
            try expectEqual(try await store.openSample("one"), true, "first")
            let code = Sample.code("a", grant: Sample.grant(browser: "session-one"))
            let isRecorded = try await store.recordCode(code, event: Sample.event(.authorizationCodeIssued))
            try expectEqual(isRecorded, true, "recorded")
            try expectEqual(try await store.openSample("two", replacing: Self.raised), true, "raised")
            let state = try await open().code(digest: code.digest)
            try expectEqual(state?.grantedIn, "session-two", "where it was granted")
            try expectEqual(state?.code.grant.authentication, code.grant.authentication, "its strength")
        },
    ]

    private static let takenBack = ConformanceCase<any BridgeStorage>(
        "with a consent that is taken back ends what its client was granted by that user, and nothing else"
    ) { open in
        let store = try await open()
        try expectEqual(try await store.forgetSample(), nil, "before")
        try expectEqual(try await store.openSample("one"), true, "the browser's session")
        try await store.remember(["openid"])
        try await store.remember(["openid"], of: "bob")
        try await store.remember(["openid"], to: "other")
        try await store.openSample(Sample.appSession("a", browser: "session-one"), refreshToken: "a")
        try await store.openSample(Sample.appSession("b", scope: ["openid", "offline_access"]), refreshToken: "b")
        _ = try await store.open(Sample.session("view", parent: "app-b"), replacing: nil, events: [])
        try await store.openSample(Sample.appSession("other", client: "other", browser: "session-one"))
        try await store.openSample(Sample.appSession("bobs", subject: "bob"))
        let code = Sample.code("c", grant: Sample.grant(browser: "session-one"))
        let isRecorded = try await store.recordCode(code, event: Sample.event(.authorizationCodeIssued))
        try expectEqual(isRecorded, true, "a code that nobody redeemed")

        let ended = try await store.forgetSample()
        try expectEqual(Set(ended?.sessions ?? []), ["app-a", "app-b", "session-view"], "ended")
        try expectEqual(try await store.code(digest: code.digest), nil, "the code")
        try expectEqual(try await open().consent(of: "alice", to: "app"), nil, "the consent")
        try expectEqual(try await store.consent(of: "alice", to: "other"), ["openid"], "the other client's")
        try expectEqual(try await store.consent(of: "bob", to: "app"), ["openid"], "bob's")
        for alive in ["app-other", "app-bobs"] {
            try expectEqual(try await store.appSession(id: SessionID(rawValue: alive))?.endedAt, nil, alive)
        }
        try expectEqual(try await store.session(id: "session-one")?.endedAt, nil, "the browser's session")
        try expectEqual(try await store.forgetSample(), nil, "once more")
        try expectEqual(try await store.events(.consentWithdrawn).count, 1, "events")
    }

    private static let codesOfOthers = ConformanceCase<any BridgeStorage>(
        "with a consent that is taken back goes no code of another client, nor another user's"
    ) { open in
        let store = try await open()
        try expectEqual(try await store.openSample("one"), true, "alice's browser")
        let bobs = Sample.session("bobs", subject: "bob")
        try expectEqual(try await store.open(bobs, replacing: nil, events: []), true, "bob's browser")
        try await store.remember(["openid"])
        let codes = [
            Sample.code("own", grant: Sample.grant(browser: "session-one")),
            Sample.code("other", grant: Sample.grant(client: "other", browser: "session-one")),
            Sample.code("bobs", grant: Sample.grant(subject: "bob", browser: "session-bobs")),
        ]
        for code in codes {
            let isRecorded = try await store.recordCode(code, event: Sample.event(.authorizationCodeIssued))
            try expectEqual(isRecorded, true, code.digest)
        }
        try expect(try await store.forgetSample() != nil, "taken back")
        var left: [String] = []
        for code in codes {
            if try await store.code(digest: code.digest) != nil { left.append(code.digest) }
        }
        try expectEqual(left, ["code-other", "code-bobs"], "left")
    }

    private static let impossibleClient = ConformanceCase<any BridgeStorage>(
        "a client that no store can have was allowed nothing"
    ) { open in
        let store = try await open()
        try await store.remember(["openid"])
        try expectEqual(try await store.forgetSample(to: "app\0"), nil, "taken back")
        try expectEqual(try await store.consent(of: "alice", to: "app"), ["openid"], "the consent")
    }

    private static let redeemedMeanwhile = ConformanceCase<any BridgeStorage>(
        "of codes redeemed on two servers none outlasts the consent that is taken back"
    ) { open in
        let servers = [try await open(), try await open()]
        try expectEqual(try await servers[0].openSample("one"), true, "the browser's session")
        try await servers[0].remember(["openid"])
        for number in 0..<20 {
            let code = Sample.code("\(number)", grant: Sample.grant(browser: "session-one"))
            _ = try await servers[0].recordCode(code, event: Sample.event(.authorizationCodeIssued))
        }
        async let forgetting = servers[0].forgetSample()
        _ = try await concurrently(20) { number in
            try await servers[number % 2].redeemCode(
                digest: "code-\(number)", opening: Sample.appSession("\(number)", browser: "session-one"),
                refreshToken: nil, at: Sample.now, events: [])
        }
        let ended = try await forgetting
        try expect(ended != nil, "taken back")
        for number in 0..<20 {
            let session = try await servers[1].appSession(id: SessionID(rawValue: "app-\(number)"))
            try expect(session == nil || session?.endedAt != nil, "session \(number) is not there, or has ended")
        }
    }

    private static let raised = ReplacedSession.sample(Sample.session("one"), isRaised: true)
}

extension BridgeStorage {
    fileprivate func remember(
        _ scopes: Set<String>, of subject: Subject = "alice", to client: ClientID = "app",
        at now: Timestamp = Sample.now
    ) async throws {
        try await rememberConsent(
            of: subject, to: client, scopes: scopes, at: now, event: Sample.event(.consentGranted))
    }

    fileprivate func forgetSample(to client: ClientID = "app") async throws -> Ended? {
        try await forgetConsent(
            of: "alice", to: client, .sample(.endedByUser), event: Sample.event(.consentWithdrawn))
    }

    fileprivate func consume(_ digest: String, at now: Timestamp = Sample.now) async throws -> Bool {
        try await consumePushedRequest(
            digest: digest, pushedAfter: Sample.now, until: Sample.now + .seconds(1890), at: now)
    }

    fileprivate func openSample(_ name: String, replacing replaced: ReplacedSession? = nil) async throws -> Bool {
        try await open(Sample.session(name), replacing: replaced, events: [Sample.event(.webSessionOpened)])
    }
}

extension Sample {
    static func pushed(_ digest: String, lifetime: Duration = .seconds(90)) -> PushedRequest {
        PushedRequest(
            digest: digest, clientID: "app", parameters: "scope=openid&state=%C3%BC", expiresAt: now + lifetime)
    }
}
