package import Bridge

/// What every ``GrantStore`` must do, and the queue that its ends fill.
package enum AppSessionStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a session comes back as it was opened") { open in
            let store = try await open()
            try await store.openSample(Sample.appSession("parent"))
            let session = Sample.appSession(
                "a", parent: "app-parent", device: "device",
                scope: ["openid", "offline_access"], wantsNotice: true)
            try await store.openSample(session)
            try expectEqual(try await open().appSession(id: "app-a"), session, "the session")
            try expectEqual(try await store.appSession(id: "nothing"), nil, "an unknown one")
        },
        ConformanceCase("what exchanges opened comes back with the apps above it") { open in
            let store = try await open()
            let top = Sample.appSession("top")
            try await store.openSample(top)
            var last = top
            for app: ClientID in ["second", "third"] {
                last = AppSession(
                    id: SessionID(rawValue: "app-\(app)"),
                    lineage: last.exchanged(for: last.scope, at: Sample.now, lifetime: .seconds(600)), clientID: app,
                    createdAt: Sample.now)
                try await store.openSample(last)
            }
            try expectEqual(try await open().appSession(id: last.id), last, "the session")
            try expectEqual(last.lineage.appsAbove, ["app", "second"], "the apps above it")
            let view = WebSession(
                id: "session-view", secretDigest: "digest-view",
                lineage: last.exchanged(for: last.scope, at: Sample.now, lifetime: .seconds(600)), clientID: "web",
                appClientID: "third", createdAt: Sample.now, idleLifetime: .seconds(600), lastSeenAt: Sample.now)
            _ = try await store.open(view, replacing: nil, events: [])
            try expectEqual(try await open().session(id: view.id), view, "the web view")
            try expectEqual(view.lineage.appsAbove, ["app", "second", "third"], "the apps above the web view")
        },
        ConformanceCase("a user's living sessions are listed youngest first, page by page") { open in
            let store = try await open()
            // Two are of one instant, one has ended, one has expired, and one is somebody else's.
            for (name, age) in [("a", 3), ("b", 2), ("c", 2), ("d", 1), ("ended", 0)] {
                try await store.openSample(Sample.appSession(name, age: .seconds(age)))
            }
            try await store.openSample(Sample.appSession("expired", lifetime: .seconds(0)))
            try await store.openSample(Sample.appSession("other", subject: "bob"))
            _ = try await store.end(.appSession("app-ended"), .sample())
            for limit in 1...5 {
                var found: [SessionID] = []
                var cursor: SessionID?
                repeat {
                    let page = try await store.appSessions(
                        of: "alice", aliveAt: Sample.now, before: cursor, limit: limit)
                    try expect(page.count <= limit, "at most \(limit)")
                    found += page.map(\.id)
                    cursor = page.last?.id
                } while cursor != nil
                try expectEqual(found, ["app-d", "app-c", "app-b", "app-a"], "pages of \(limit)")
            }
            let rest = try await store.appSessions(of: "alice", aliveAt: Sample.now, before: "app-ended", limit: 9)
            try expectEqual(rest.map(\.id), ["app-d", "app-c", "app-b", "app-a"], "after one that has ended")
        },
        ConformanceCase("nothing opens for a disabled user or under an ended parent") { open in
            let store = try await open()
            try await store.addUser("mallory", at: Sample.now)
            try await store.change("mallory", UserChange(isDisabled: true))
            let disabled = try await store.open(
                Sample.appSession("a", subject: "mallory"), refreshToken: nil,
                events: [Sample.event(.appSessionOpened)])
            try expectEqual(disabled, .subjectDisabled, "disabled")
            let orphan = try await store.open(
                Sample.appSession("b", parent: "app-nobody"), refreshToken: nil,
                events: [Sample.event(.appSessionOpened)])
            try expectEqual(orphan, .parentEnded, "without a parent")
            try expectEqual(try await store.events(.appSessionOpened).count, 0, "events")
        },
        ConformanceCase("an end takes everything below with it, one event each, once") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].openSample(Sample.appSession("top"))
            try await servers[0].openSample(Sample.appSession("child", parent: "app-top"))
            try await servers[0].openSample(Sample.appSession("grandchild", parent: "app-child"))
            try await servers[0].openSample(Sample.appSession("other"))
            let web = Sample.session("w", token: "t", parent: "app-child")
            _ = try await servers[0].redeem(
                Sample.token("t"), opening: web, use: Sample.use(web), replacing: [], events: [])
            let ended = try await concurrently(10) { number in
                try await servers[number % 2].end(
                    .appSession("app-top"), .sample(), first: [Sample.event(.refreshTokenReused)]
                ).sessions
            }
            try expectEqual(
                Set(ended.flatMap { $0 }), ["app-top", "app-child", "app-grandchild", "session-w"], "ended")
            try expectEqual(ended.flatMap { $0 }.count, 4, "each once")
            try expectEqual(try await servers[1].session(id: "session-w")?.endedAt, Sample.now, "the web session")
            try expectEqual(try await servers[1].appSession(id: "app-other")?.endedAt, nil, "the other one")
            try expectEqual(try await servers[0].events(.appSessionEnded).count, 3, "app events")
            try expectEqual(try await servers[0].events(.webSessionEnded).count, 1, "web events")
            try expectEqual(try await servers[0].events(.refreshTokenReused).count, 1, "first events")
        },
        ConformanceCase("of a thousand sessions below one each ends, with its event and its codes, and no other") {
            open in
            let store = try await open()
            let browser = try await store.openBrowser()
            // More than two statements are about.
            let names = (0...1000).map { "a\($0)" }
            let recorded = try await concurrently(names.count) { number -> Bool in
                try await store.openSample(Sample.appSession(names[number], browser: browser))
                return try await store.recordCode(
                    Sample.code(names[number]), event: Sample.event(.authorizationCodeIssued))
            }
            try expectEqual(recorded.count { $0 }, names.count, "codes")
            try await store.openSample(Sample.appSession("other"))
            let ended = try await store.end(.webSession(browser), .sample()).sessions
            let apps = Set(names.map { SessionID(rawValue: "app-\($0)") })
            try expectEqual(ended.count, names.count + 1, "how many ended")
            try expectEqual(Set(ended), apps.union([browser]), "which ended")
            var filter = AuditFilter()
            filter.type = .appSessionEnded
            var told: [SessionID] = []
            var cursor: AuditCursor?
            repeat {
                let page = try await store.search(filter, before: cursor, limit: 500)
                told += page.records.compactMap(\.event.sessionID)
                cursor = page.next
            } while cursor != nil
            try expectEqual(told.count, names.count, "events")
            try expectEqual(Set(told), apps, "whose")
            for name in [names[0], names[500], names[1000]] {
                let session = try await store.appSession(id: SessionID(rawValue: "app-\(name)"))
                try expectEqual(session?.endedAt, Sample.now, "the end of \(name)")
                try expectEqual(try await store.code(digest: "code-\(name)"), nil, "the code of \(name)")
            }
            try expectEqual(try await store.appSession(id: "app-other")?.endedAt, nil, "the end of another")
        },
        ConformanceCase("a login token of an ended app session opens nothing") { open in
            let store = try await open()
            try await store.openSample(Sample.appSession("a"))
            _ = try await store.end(.appSession("app-a"), .sample())
            let web = Sample.session("w", token: "t", parent: "app-a")
            let outcome = try await store.redeem(
                Sample.token("t"), opening: web, use: Sample.use(web), replacing: [], events: [])
            try expectEqual(outcome, .revoked(at: Sample.now), "outcome")
            try expectEqual(try await store.session(id: "session-w"), nil, "the web session")
        },
        ConformanceCase("disabling a user ends the app sessions too") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            try await store.openSample(Sample.appSession("a"))
            try await store.openSample(Sample.appSession("b", subject: "bob"))
            let ended = try await store.change("alice", UserChange(isDisabled: true))
            try expectEqual(ended, .changed(Ended(sessions: ["app-a"])), "ended")
            try expectEqual(try await store.appSession(id: "app-b")?.endedAt, nil, "another user's")
        },
        ConformanceCase("a browser's sign-out ends what is not offline, its codes too, and tells both clients") {
            open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["app"], removing: [])
            let browser = try await store.openBrowser()
            try await store.recordSample("open")
            try await store.openSample(Sample.appSession("online", browser: browser))
            try await store.openSample(Sample.appSession("offline", browser: browser, scope: ["offline_access"]))
            try await store.openSample(Sample.appSession("elsewhere", browser: "other"))
            let ended = try await store.end(.webSession(browser), .sample(extent: .signOut))
            try expectEqual(ended.sessions, [browser, "app-online"], "ended")
            try expectEqual(try await store.code(digest: "code-open"), nil, "the code")
            let notices = try await store.takeLogoutNotices(
                dueAt: Sample.now, lease: .seconds(15), limit: 10, sparing: [])
            try expectEqual(Set(notices.map(\.sessionID)), ["app-online", "app-offline"], "told")
        },
        ConformanceCase("a purge takes sessions and refresh tokens that expired before the cutoff") { open in
            let store = try await open()
            try await store.openSample(Sample.appSession("a"), refreshToken: "a")
            try await store.openSample(Sample.appSession("b", lifetime: .seconds(7200)), refreshToken: "b")
            let purged = try await store.purgeAppSessions(expiredBefore: Sample.now + .seconds(3601), limit: 10)
            try expectEqual(purged, 2, "purged: two tokens, one session")
            try expectEqual(try await store.appSession(id: "app-a"), nil, "the old one")
            try expect(try await store.appSession(id: "app-b") != nil, "the young one stays")
        },
        ConformanceCase("a purge says that there are more tokens to go, whose sessions go on") { open in
            let store = try await open()
            for name in ["a", "b", "c"] {
                try await store.openSample(Sample.appSession(name, lifetime: .seconds(7200)), refreshToken: name)
            }
            var purged: [Int] = []
            for _ in 0..<3 {
                purged.append(try await store.purgeAppSessions(expiredBefore: Sample.now + .seconds(3601), limit: 2))
            }
            try expectEqual(purged, [2, 1, 0], "tokens")
        },
        ConformanceCase("of two servers one takes a notice, and a lease brings it back") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeLogoutSubscribers(adding: ["app"], removing: [])
            try await servers[0].openSample(Sample.appSession("a"))
            _ = try await servers[0].end(.appSession("app-a"), .sample())
            let taken = try await concurrently(10) { number in
                try await servers[number % 2].takeLogoutNotices(
                    dueAt: Sample.now, lease: .seconds(15), limit: 10, sparing: [])
            }.flatMap { $0 }
            try expectEqual(taken.map(\.attempts), [1], "attempts")
            let later = Sample.now + .seconds(15)
            let again = try await servers[1].takeLogoutNotices(
                dueAt: later, lease: .seconds(15), limit: 10, sparing: [])
            try expectEqual(again.map(\.attempts), [2], "attempts after the lease")
            try await servers[1].postponeLogoutNotice(again[0].id, until: later + .seconds(1))
            try expectEqual(
                try await servers[0].takeLogoutNotices(dueAt: later, lease: .seconds(15), limit: 10, sparing: []), [],
                "postponed")
            try await servers[0].settleLogoutNotice(again[0].id, event: Sample.event(.logoutNoticeSent))
            try await servers[0].settleLogoutNotice(again[0].id, event: Sample.event(.logoutNoticeSent))
            let last = try await servers[1].takeLogoutNotices(
                dueAt: later + .seconds(60), lease: .seconds(15), limit: 10, sparing: [])
            try expectEqual(last, [], "settled")
            try expectEqual(try await servers[0].events(.logoutNoticeSent).count, 1, "events")
        },
        ConformanceCase("notices to a busy client wait, and those to one client leave room for others") { open in
            let store = try await open()
            try await store.changeLogoutSubscribers(adding: ["app", "shop"], removing: [])
            for number in 0..<10 {
                try await store.openSample(Sample.appSession("\(number)"))
                _ = try await store.end(.appSession(SessionID(rawValue: "app-\(number)")), .sample())
            }
            try await store.openSample(Sample.appSession("other", client: "shop"))
            _ = try await store.end(.appSession("app-other"), .sample(at: Sample.now + .milliseconds(1)))
            let now = Sample.now + .seconds(1)
            let first = try await store.takeLogoutNotices(dueAt: now, lease: .seconds(15), limit: 5, sparing: [])
            try expectEqual(Set(first.map(\.clientID)), ["app", "shop"], "of both")
            let busy = try await store.takeLogoutNotices(dueAt: now, lease: .seconds(15), limit: 5, sparing: ["app"])
            try expectEqual(busy, [], "while it is busy")
            let next = try await store.takeLogoutNotices(dueAt: now, lease: .seconds(15), limit: 50, sparing: [])
            try expect(!next.isEmpty, "and afterwards")
        },
    ]
}
