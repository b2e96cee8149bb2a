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
        }
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
}
