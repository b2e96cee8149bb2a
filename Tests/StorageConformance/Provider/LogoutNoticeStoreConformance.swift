package import Bridge

/// What every ``LogoutNoticeStore`` must do, and whose ends of sessions are put into its queue.
package enum LogoutNoticeStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = queue + ofGrants + besides

    private static let queue: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a website hears of the end of a cookie session by that session's id") { open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["web"], removing: [])
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            _ = try await store.end(.webSession("session-w"), .sample(.signedOut))
            let notices = try await open().takeNotices()
            try expectEqual(
                notices,
                [
                    LogoutNotice(
                        id: "session-w", clientID: "web", subject: "alice", sessionID: "session-w",
                        createdAt: Sample.now, attempts: 1)
                ], "the notice")
        },
        ConformanceCase("what a client has when a session ends decides whether it hears of it") { open in
            let store = try await open()
            for name in ["a", "b", "c"] {
                _ = try await store.open(Sample.session(name), replacing: nil, events: [])
                try await store.openSample(Sample.appSession(name, client: "web", wantsNotice: name != "a"))
            }
            func endBoth(_ name: String) async throws {
                _ = try await store.end(.webSession(SessionID(rawValue: "session-\(name)")), .sample())
                _ = try await store.end(.appSession(SessionID(rawValue: "app-\(name)")), .sample())
            }
            var client = Client(id: "web", name: "Website", kind: .web)
            client.backchannelLogoutURI = "https://shop.example/logout"
            _ = try await store.save(client, expecting: .absent, event: Sample.event(.clientCreated))
            try await endBoth("a")
            let told = client
            client.backchannelLogoutURI = nil
            _ = try await store.save(client, expecting: .unchanged(told), event: Sample.event(.clientChanged))
            try await endBoth("b")
            _ = try await store.save(told, expecting: .unchanged(client), event: Sample.event(.clientChanged))
            _ = try await store.deleteClient("web", event: Sample.event(.clientDeleted))
            try await endBoth("c")
            try expectEqual(Set(try await store.takeNotices().map(\.id)), ["session-a", "app-a"], "notices")
        },
        ConformanceCase("a server that knows fewer websites takes none of the others' away") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeLogoutSubscribers(adding: ["web", "gone"], removing: [])
            try await servers[1].changeLogoutSubscribers(adding: ["shop"], removing: ["gone"])
            _ = try await servers[1].open(Sample.session("w"), replacing: nil, events: [])
            try await servers[1].openSample(Sample.appSession("a", client: "gone"))
            _ = try await servers[1].end(.webSession("session-w"), .sample())
            _ = try await servers[1].end(.appSession("app-a"), .sample())
            try expectEqual(try await servers[1].takeNotices().map(\.clientID), ["web"], "notices")
        },
        ConformanceCase("a notice that a server gives back is due again later, and was not tried") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeLogoutSubscribers(adding: ["web"], removing: [])
            _ = try await servers[0].open(Sample.session("w"), replacing: nil, events: [])
            _ = try await servers[0].end(.webSession("session-w"), .sample())
            let taken = try await servers[0].takeNotices()
            try expectEqual(taken.map(\.attempts), [1], "attempts")
            let later = Sample.now + .seconds(5)
            try await servers[0].giveBackLogoutNotice(taken[0].id, until: later)
            try expectEqual(try await servers[1].takeNotices(at: later - .seconds(1)), [], "before")
            try expectEqual(try await servers[1].takeNotices(at: later).map(\.attempts), [1], "attempts of the other")
        },
    ]

    private static let roots: [(what: String, root: EndingRoot)] = [
        ("a website's session", .webSession("session-w")), ("everything of a user", .user("alice")),
    ]

    private static let ofGrants: [ConformanceCase<any BridgeStorage>] = roots.map { what, root in
        ConformanceCase("at the end of \(what) a website hears of what it was granted there, and not of both") { open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["web"], removing: [])
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            try await store.openSample(Sample.appSession("a", client: "web", browser: "session-w"))
            _ = try await store.end(root, .sample())
            try expectEqual(try await store.takeNotices().map(\.id), ["app-a"], "notices")
        }
    }

    private static let besides: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("what another website was granted in a website's session takes no notice from that one") {
            open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["web", "shop"], removing: [])
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            try await store.openSample(Sample.appSession("a", client: "shop", browser: "session-w"))
            _ = try await store.end(.webSession("session-w"), .sample())
            try expectEqual(Set(try await store.takeNotices().map(\.id)), ["session-w", "app-a"], "notices")
        },
        ConformanceCase("a website hears that the same user's next session took a session's place") { open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["web"], removing: [])
            _ = try await store.open(Sample.session("one"), replacing: nil, events: [])
            _ = try await store.open(Sample.session("two"), replacing: .sample(Sample.session("one")), events: [])
            try expectEqual(try await store.takeNotices().map(\.id), ["session-one"], "notices")
        },
        ConformanceCase("it does not where what it was granted in that session goes on in the next") { open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["web"], removing: [])
            _ = try await store.open(Sample.session("one"), replacing: nil, events: [])
            try await store.openSample(Sample.appSession("a", client: "web", browser: "session-one"))
            _ = try await store.open(Sample.session("two"), replacing: .sample(Sample.session("one")), events: [])
            try expectEqual(try await store.takeNotices(), [], "notices")
        },
        ConformanceCase("a restore tells the websites of every session that it ends, each once") { open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["web", "shop"], removing: [])
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            _ = try await store.open(Sample.session("v"), replacing: nil, events: [])
            try await store.openSample(Sample.appSession("a", client: "web", browser: "session-w"))
            try await store.openSample(Sample.appSession("b", client: "shop", browser: "session-w"))
            try await store.openSample(Sample.appSession("c", client: "app", wantsNotice: true))
            _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: false, reason: nil)
            try expectEqual(Set(try await store.takeNotices().map(\.id)), ["session-v", "app-a", "app-b"], "notices")
        },
    ]
}

extension BridgeStorage {
    fileprivate func takeNotices(at now: Timestamp = Sample.now) async throws -> [LogoutNotice] {
        try await takeLogoutNotices(dueAt: now, lease: .seconds(30), limit: 10, sparing: [])
    }
}
