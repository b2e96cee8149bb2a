package import Bridge

/// What every ``GrantStore`` must do.
package enum AuthorizationCodeStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a code comes back as it was recorded") { open in
            let store = try await open()
            let browser = try await store.openBrowser()
            let code = Sample.code("a")
            try expectEqual(
                try await store.recordCode(code, event: Sample.event(.authorizationCodeIssued)), true, "recorded")
            let state = try await open().code(digest: "code-a")
            try expectEqual(
                state,
                AuthorizationCodeState(code: code, grantedIn: browser, sessionID: nil, redeemedAt: nil), "the code")
            try expectEqual(try await store.code(digest: "nothing"), nil, "an unknown code")
            try expectEqual(try await store.events(.authorizationCodeIssued).count, 1, "events")
        },
        ConformanceCase("of 100 concurrent redemptions on two servers one opens a session") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].recordSample("a")
            let outcomes = try await concurrently(100) { number in
                let session = Sample.appSession("\(number)", browser: Sample.browser)
                return try await servers[number % 2].redeemCode(
                    digest: "code-a", opening: session,
                    refreshToken: Sample.refreshToken("\(number)", of: session), at: Sample.now,
                    events: [Sample.event(.authorizationCodeRedeemed)])
            }
            let winners = outcomes.indices.filter { outcomes[$0] == .opened }
            try expectEqual(winners.count, 1, "winners")
            try expectEqual(outcomes.count { $0 == .alreadyUsed }, 99, "losers")
            let winner = SessionID(rawValue: "app-\(winners[0])")
            try expectEqual(try await servers[1].code(digest: "code-a")?.sessionID, winner, "whose code it is")
            let alive = try await servers[0].appSessions(of: "alice", aliveAt: Sample.now, limit: 500)
            try expectEqual(alive.map(\.id), [winner], "sessions")
            try expectEqual(try await servers[0].events(.authorizationCodeRedeemed).count, 1, "events")
        },
        ConformanceCase("a code that has expired or never was opens nothing") { open in
            let store = try await open()
            try await store.recordSample("a")
            for digest in ["code-a", "nothing"] {
                let outcome = try await store.redeemCode(
                    digest: digest, opening: Sample.appSession("a", browser: Sample.browser), refreshToken: nil,
                    at: Sample.now + .seconds(60), events: [Sample.event(.authorizationCodeRedeemed)])
                try expectEqual(outcome, .gone, digest)
            }
            try expectEqual(try await store.appSession(id: "app-a"), nil, "the session")
            try expectEqual(try await store.events(.authorizationCodeRedeemed).count, 0, "events")
        },
        ConformanceCase("a disabled user's code opens nothing") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            try await store.recordSample("a")
            try await store.change("alice", UserChange(isDisabled: true))
            let outcome = try await store.redeemCode(
                digest: "code-a", opening: Sample.appSession("a", browser: Sample.browser), refreshToken: nil,
                at: Sample.now, events: [])
            try expectEqual(outcome, .subjectDisabled, "outcome")
            try expectEqual(try await store.appSession(id: "app-a"), nil, "the session")
        },
        ConformanceCase("the third miss takes a code away, one that was used stays") { open in
            let store = try await open()
            for name in ["a", "b"] {
                try await store.recordSample(name)
            }
            _ = try await store.redeemCode(
                digest: "code-b", opening: Sample.appSession("b", browser: Sample.browser), refreshToken: nil,
                at: Sample.now, events: [])
            for number in 1...3 {
                for name in ["a", "b"] {
                    let isTold = try await store.recordCodeMiss(
                        digest: "code-\(name)", limit: 3, event: Sample.event(.authorizationCodeRefused),
                        alwaysTells: true)
                    try expectEqual(isTold, true, "told")
                }
                let isThere = try await open().code(digest: "code-a") != nil
                try expectEqual(isThere, number < 3, "the code after \(number) misses")
            }
            try expectEqual(try await store.code(digest: "code-b")?.sessionID, "app-b", "the used one")
            let events = try await store.events(.authorizationCodeRefused)
            try expectEqual(events.count, 6, "events")
            try expectEqual(
                events.compactMap(\.detail), [#"{"ends":"authorization_code"}"#], "what says that the code is gone")
        },
        ConformanceCase("a miss that is not to be told is told when it takes the code away, and only then") { open in
            let store = try await open()
            for name in ["a", "b"] {
                try await store.recordSample(name)
            }
            _ = try await store.redeemCode(
                digest: "code-b", opening: Sample.appSession("b", browser: Sample.browser), refreshToken: nil,
                at: Sample.now, events: [])
            for name in ["a", "a", "b", "b", "b", "b"] {
                let isTold = try await store.recordCodeMiss(
                    digest: "code-\(name)", limit: 3, event: Sample.event(.authorizationCodeRefused),
                    alwaysTells: false)
                try expectEqual(isTold, false, "told")
            }
            try expectEqual(try await store.events(.authorizationCodeRefused).count, 0, "events before the limit")
            let isTold = try await store.recordCodeMiss(
                digest: "code-a", limit: 3, event: Sample.event(.authorizationCodeRefused), alwaysTells: false)
            try expectEqual(isTold, true, "told with the code's end")
            try expectEqual(try await store.events(.authorizationCodeRefused).count, 1, "events at the limit")
        },
        ConformanceCase("a second use ends what the first one opened, once") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].recordSample("a")
            _ = try await servers[0].redeemCode(
                digest: "code-a", opening: Sample.appSession("a", browser: Sample.browser), refreshToken: nil,
                at: Sample.now, events: [])
            let ended = try await concurrently(10) { number in
                try await servers[number % 2].recordCodeReuse(
                    digest: "code-a", reuse: Sample.event(.authorizationCodeReused), ending: .sample(),
                    alwaysTells: number == 0)
            }
            try expectEqual(ended.flatMap(\.sessions), ["app-a"], "ended")
            try expectEqual(try await servers[1].appSession(id: "app-a")?.endedAt, Sample.now, "its end")
            // The one that ended it, and the one that tells in any case, if they are not the same.
            let told = try await servers[0].events(.authorizationCodeReused).count
            try expectEqual(told, ended[0].isEmpty ? 2 : 1, "reuse events")
            try expectEqual(try await servers[0].events(.appSessionEnded).count, 1, "end events")
        },
        ConformanceCase("in a browser's session that has ended no code is issued, and none that it issued is redeemed")
        {
            open in
            let store = try await open()
            try await store.recordSample("a")
            _ = try await store.end(.webSession(Sample.browser), .sample())
            try expectEqual(try await store.code(digest: "code-a"), nil, "the code")
            let late = try await store.recordCode(Sample.code("b"), event: Sample.event(.authorizationCodeIssued))
            try expectEqual(late, false, "a late one")
            try expectEqual(try await store.code(digest: "code-b"), nil, "nothing was kept")
            try expectEqual(try await store.events(.authorizationCodeIssued).count, 1, "events")
        },
        ConformanceCase("of a code's redemption and its browser's end at once nothing stays alive, whoever is first") {
            open in
            let servers = [try await open(), try await open()]
            for round in 0..<20 {
                let browser = try await servers[0].openBrowser("race-\(round)")
                let code = Sample.code("\(round)", grant: Sample.grant(browser: browser))
                _ = try await servers[0].recordCode(code, event: Sample.event(.authorizationCodeIssued))
                async let redeemed = servers[1].redeemCode(
                    digest: code.digest, opening: Sample.appSession("\(round)", browser: browser), refreshToken: nil,
                    at: Sample.now, events: [])
                async let ended = servers[0].end(.webSession(browser), .sample())
                _ = try await (redeemed, ended)
                let session = try await servers[0].appSession(id: SessionID(rawValue: "app-\(round)"))
                try expect(session == nil || session?.endedAt != nil, "round \(round)")
            }
        },
        ConformanceCase("an end of what a user has not used takes the codes of all their sessions, and no session") {
            open in
            let servers = [try await open(), try await open()]
            try await servers[0].recordSample("here")
            try await servers[0].recordSample("used")
            _ = try await servers[0].redeemCode(
                digest: "code-used", opening: Sample.appSession("used", browser: Sample.browser), refreshToken: nil,
                at: Sample.now, events: [])
            for (name, subject) in [("elsewhere", "alice"), ("bobs", "bob")] as [(String, Subject)] {
                let browser = try await servers[0].openBrowser(name, subject: subject)
                let code = Sample.code(name, grant: Sample.grant(subject: subject, browser: browser))
                _ = try await servers[0].recordCode(code, event: Sample.event(.authorizationCodeIssued))
            }
            let ended = try await servers[1].end(.unused(of: "alice"), .sample(.endedByUser))
            try expectEqual(ended.isEmpty, true, "no session")
            for (name, isLeft) in [("here", false), ("elsewhere", false), ("used", true), ("bobs", true)] {
                try expectEqual(try await servers[0].code(digest: "code-\(name)") != nil, isLeft, name)
            }
            try expectEqual(try await servers[0].browserSession().endedAt, nil, "the browser's session")
            try expectEqual(try await servers[0].appSession(id: "app-used")?.endedAt, nil, "the app's session")
        },
        ConformanceCase("of a code's redemption and an end of what is unused at once one wins") { open in
            let servers = [try await open(), try await open()]
            for round in 0..<20 {
                try await servers[0].recordSample("\(round)")
                async let redeemed = servers[1].redeemCode(
                    digest: "code-\(round)", opening: Sample.appSession("\(round)", browser: Sample.browser),
                    refreshToken: nil, at: Sample.now, events: [])
                async let ended = servers[0].end(.unused(of: "alice"), .sample(.endedByUser))
                let (outcome, _) = try await (redeemed, ended)
                try expect(outcome == .opened || outcome == .gone, "round \(round): \(outcome)")
                let session = try await servers[0].appSession(id: SessionID(rawValue: "app-\(round)"))
                try expectEqual(session != nil, outcome == .opened, "round \(round): the session")
                let code = try await servers[0].code(digest: "code-\(round)")
                try expectEqual(code != nil, outcome == .opened, "round \(round): the code")
            }
        },
        ConformanceCase(
            "a code goes on in the session that took its browser's place, and remembers where it was issued"
        ) {
            open in
            let store = try await open()
            try await store.recordSample("a")
            let stale = Sample.appSession("a", browser: Sample.browser)
            let replaced = ReplacedSession.sample(try await store.browserSession())
            _ = try await store.open(Sample.session("next"), replacing: replaced, events: [])
            try expectEqual(try await store.code(digest: "code-a")?.grantedIn, Sample.browser, "where it was issued")
            try expectEqual(
                try await store.code(digest: "code-a")?.code.grant.browserSessionID, "session-next", "where it goes on")
            let outcome = try await store.redeemCode(
                digest: "code-a", opening: stale, refreshToken: nil, at: Sample.now, events: [])
            try expectEqual(outcome, .opened, "by one who read it before")
            let opened = try await store.appSession(id: "app-a")
            try expectEqual(opened?.browserSessionID, "session-next", "the session")
            try expectEqual(opened?.lineage.parent, .granted(in: Sample.browser), "its origin")
        },
        ConformanceCase("a purge takes codes that expired before the cutoff, up to its limit") { open in
            let store = try await open()
            for name in ["a", "b", "c"] {
                try await store.recordSample(name)
            }
            try expectEqual(
                try await store.purgeCodes(expiredBefore: Sample.now + .seconds(60), limit: 10), 0, "too early")
            let cutoff = Sample.now + .milliseconds(60_001)
            try expectEqual(try await store.purgeCodes(expiredBefore: cutoff, limit: 2), 2, "first")
            try expectEqual(try await store.purgeCodes(expiredBefore: cutoff, limit: 2), 1, "second")
        },
    ]
}
