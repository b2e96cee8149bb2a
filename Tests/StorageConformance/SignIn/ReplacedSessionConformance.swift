package import Bridge

/// What becomes of the sessions of apps and websites under a browser session that a sign-in or a redemption takes the
/// place of (contract §7).
package enum ReplacedSessionConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        cases(of: "a sign-in") { store, replaced in
            try await store.open(Sample.session("two"), replacing: replaced, events: [])
        }
        + cases(of: "a redemption") { store, replaced in
            try await store.redeemSample(Sample.token("two"), replacing: replaced) == .opened
        }
        + switches

    private static let switches: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("an end because another user has signed in is a switch, and takes what was granted") { open in
            let store = try await open()
            try await store.openGranted()
            let origin = RequestOrigin(address: nil, userAgent: nil, requestID: "r")
            _ = try await store.end(.webSession("session-one"), .accountSwitch(origin: origin, at: Sample.now))
            let switched = try await store.events(.webSessionSwitched)
            try expectEqual(switched.map(\.sessionID), ["session-one"], "switched")
            try expectEqual(try await store.events(.webSessionEnded).count, 0, "only switched")
            let granted = try await store.events(.appSessionEnded)
            try expectEqual(granted.map(\.sessionID), ["app-a"], "what was granted in it")
            try expectEqual(granted.map(\.reason), ["account_switch"], "reasons")
        },
        ConformanceCase("a sign-out of a session that has ended takes what it was left, and tells no other client") {
            open in
            let store = try await open()
            try await store.openInherited()
            func signOut(_ reason: EndReason) async throws -> [SessionID] {
                _ = try await store.end(
                    .webSession("session-one"), .sample(reason, at: Sample.now, extent: .signOut))
                return try await store.toldSessions()
            }
            try expectEqual(try await signOut(.signedOut), ["app-a"], "its clients")
            try expectEqual(try await store.appSession(id: "app-a")?.endedAt, Sample.now, "what was granted")
            try expectEqual(try await store.appSession(id: "app-offline")?.endedAt, nil, "offline access")
            try expectEqual(try await signOut(.signedOut), [], "once more")
            try expectEqual(try await signOut(.upstreamSignedOut), ["app-offline"], "by the provider's word")
        },
        ConformanceCase("attack: a copy of a cookie whose place was taken ends nothing of the session that took it") {
            open in
            let store = try await open()
            try await store.openReplaced()
            for reason in [EndReason.signedOut, .accountSwitch] {
                let ending = Ending.sample(reason, at: Sample.now, extent: .signOut)
                let ended = try await store.end(.webSession("session-zero"), ending)
                try expectEqual(ended, .nothing, "\(reason)")
            }
            try await store.expectReplacedLives()
            let ended = try await store.end(.webSession("session-one"), .sample(.signedOut, extent: .signOut))
            try expectEqual(Set(ended.sessions), ["session-one", "session-hand-off", "app-a"], "of the one that lives")
        },
        ConformanceCase("an administrator's end of a session whose place was taken takes what came of it") { open in
            let store = try await open()
            try await store.openReplaced()
            let ended = try await store.end(.webSession("session-zero"), .sample(at: Sample.now))
            try expectEqual(Set(ended.sessions), ["session-hand-off", "app-a"], "ended")
            try expectEqual(try await store.code(digest: "code-kept"), nil, "the code")
        },
    ]

    private typealias Opening = @Sendable (_ store: any BridgeStorage, _ replaced: ReplacedSession) async throws -> Bool

    private static func cases(
        of what: String, _ opening: @escaping Opening
    ) -> [ConformanceCase<any BridgeStorage>] {
        [
            ConformanceCase("\(what) of the same user takes over what was granted before") { open in
                let store = try await open()
                try await store.openGranted()
                let replaced = ReplacedSession.sample(Sample.session("one"))
                try expectEqual(try await opening(store, replaced), true, "opened")
                try expectEqual(try await store.appSession(id: "app-a")?.endedAt, nil, "before the sign-out")
                _ = try await store.end(.webSession("session-two"), .sample(at: Sample.now))
                try expectEqual(try await store.appSession(id: "app-a")?.endedAt, Sample.now, "after the sign-out")
                try expectEqual(try await store.appSession(id: "app-b")?.endedAt, nil, "another browser's")
            },
            ConformanceCase("\(what) of another user ends what was granted before, and its websites hear of it") {
                open in
                let store = try await open()
                try await store.openGranted()
                let replaced = ReplacedSession.sample(Sample.session("one"), by: "bob")
                try expectEqual(try await opening(store, replaced), true, "opened")
                try expectEqual(try await store.appSession(id: "app-a")?.endedAt, Sample.now, "ended")
                try expectEqual(try await store.appSession(id: "app-b")?.endedAt, nil, "another browser's")
                let events = try await store.events(.appSessionEnded)
                try expectEqual(events.map(\.sessionID), ["app-a"], "events")
                try expectEqual(events.map(\.reason), ["account_switch"], "reasons")
                let notices = try await store.takeLogoutNotices(
                    dueAt: Sample.now, lease: .seconds(15), limit: 10, sparing: [])
                try expectEqual(notices.map(\.sessionID), ["app-a"], "notices")
            },
            ConformanceCase("\(what) of the same user takes over what a session that has ended was left") { open in
                let store = try await open()
                try await store.openInherited()
                let ends = try await store.events(.webSessionEnded).count
                try expectEqual(try await opening(store, .sample(Sample.session("one"))), true, "opened")
                try expectEqual(try await store.events(.webSessionEnded).count, ends, "it ends no second time")
                try expectEqual(
                    try await store.appSession(id: "app-a")?.browserSessionID, "session-two", "where it goes on")
                try expectEqual(
                    try await store.appSession(id: "app-offline")?.browserSessionID, "session-one", "offline access")
                _ = try await store.end(.webSession("session-two"), .sample(at: Sample.now, extent: .signOut))
                try expectEqual(try await store.appSession(id: "app-a")?.endedAt, Sample.now, "after the sign-out")
                try expectEqual(try await store.appSession(id: "app-offline")?.endedAt, nil, "offline access")
                try expectEqual(try await store.toldSessions(), ["app-a"], "told")
            },
            ConformanceCase("\(what) of another user ends what a session that has ended was left") { open in
                let store = try await open()
                try await store.openInherited()
                try expectEqual(try await opening(store, .sample(Sample.session("one"), by: "bob")), true, "opened")
                try expectEqual(try await store.appSession(id: "app-a")?.endedAt, Sample.now, "ended")
                try expectEqual(try await store.appSession(id: "app-offline")?.endedAt, nil, "offline access")
                try expectEqual(try await store.events(.webSessionSwitched).count, 0, "it ends no second time")
                try expectEqual(try await store.toldSessions(), ["app-a"], "told")
                _ = try await store.open(
                    Sample.session("three"), replacing: .sample(Sample.session("one"), by: "bob"), events: [])
                try expectEqual(try await store.toldSessions(), [], "told once more")
            },
            ConformanceCase("attack: \(what) of another user ends nothing by a copy of a cookie that was replaced") {
                open in
                let store = try await open()
                try await store.openReplaced()
                try expectEqual(try await opening(store, .sample(Sample.session("zero"), by: "bob")), true, "opened")
                try await store.expectReplacedLives()
                try expectEqual(try await store.toldSessions(), [], "told")
            },
        ]
    }
}

extension BridgeStorage {
    fileprivate func openGranted() async throws {
        try await changeLogoutSubscribers(adding: ["app"], removing: [])
        try expectEqual(try await open(Sample.session("one"), replacing: nil, events: []), true, "first")
        try await openSample(Sample.appSession("a", browser: "session-one"), refreshToken: "a")
        try await openSample(Sample.appSession("b", browser: "session-other"), refreshToken: "b")
    }

    /// What was granted in a session, and where its browser went on to, goes on under another that took its place.
    fileprivate func openReplaced() async throws {
        try await changeLogoutSubscribers(adding: ["app"], removing: [])
        _ = try await open(Sample.session("zero"), replacing: nil, events: [])
        try await openSample(Sample.appSession("a", browser: "session-zero"), refreshToken: "a")
        let code = Sample.code("kept", grant: Sample.grant(browser: "session-zero"))
        try expectEqual(try await recordCode(code, event: Sample.event(.authorizationCodeIssued)), true, "the code")
        let handOff = WebSession(
            id: "session-hand-off", secretDigest: "digest-hand-off", subject: "alice", clientID: "other",
            appClientID: nil, parentID: "session-zero", loginTokenID: nil, opening: .handOff,
            authentication: Authentication(), createdAt: Sample.now, expiresAt: Sample.now + .seconds(3600),
            idleLifetime: .seconds(600), lastSeenAt: Sample.now)
        _ = try await open(handOff, replacing: nil, events: [])
        let replaced = ReplacedSession.sample(Sample.session("zero"))
        try expectEqual(try await open(Sample.session("one"), replacing: replaced, events: []), true, "replaced")
    }

    fileprivate func expectReplacedLives() async throws {
        try expectEqual(try await session(id: "session-one")?.endedAt, nil, "the session that took its place")
        try expectEqual(try await session(id: "session-hand-off")?.endedAt, nil, "the website")
        try expectEqual(try await appSession(id: "app-a")?.endedAt, nil, "the app")
        try expectEqual(try await code(digest: "code-kept") != nil, true, "the code")
    }

    /// Whose clients are told now, each once.
    fileprivate func toldSessions() async throws -> [SessionID] {
        let notices = try await takeLogoutNotices(dueAt: Sample.now, lease: .seconds(15), limit: 10, sparing: [])
        for notice in notices { try await settleLogoutNotice(notice.id, event: Sample.event(.logoutNoticeSent)) }
        return notices.map(\.sessionID)
    }

    /// What was granted in a session, and went on under another that took its place and has ended since.
    fileprivate func openInherited() async throws {
        try await changeLogoutSubscribers(adding: ["app"], removing: [])
        _ = try await open(Sample.session("zero"), replacing: nil, events: [])
        try await openSample(Sample.appSession("a", browser: "session-zero"), refreshToken: "a")
        try await openSample(
            Sample.appSession("offline", browser: "session-zero", scope: ["openid", "offline_access"]),
            refreshToken: "offline")
        let replaced = ReplacedSession.sample(Sample.session("zero"))
        try expectEqual(try await open(Sample.session("one"), replacing: replaced, events: []), true, "opened")
        let ended = try await end(.webSession("session-one"), .sample(at: Sample.now, extent: .descendants))
        try expectEqual(ended.sessions, ["session-one"], "ended")
    }
}
