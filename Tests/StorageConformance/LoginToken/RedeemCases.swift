import Bridge

extension LoginTokenStoreConformance {
    static let redeemCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a redemption opens the session, marks the token and writes its events") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.recordIssue(token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            try expectEqual(try await store.redeemSample(token), .opened, "outcome")
            let session = Sample.session("t", token: "t")
            try expectEqual(try await store.session(secretDigest: "digest-t"), session, "session")
            try expectEqual(try await store.state(of: "t")?.status, .redeemed(Sample.use(session)), "status")
            try expectEqual(try await store.events(.loginTokenRedeemed).count, 1, "redeemed events")
            try expectEqual(try await store.events(.webSessionOpened).count, 1, "opened events")
        },
        ConformanceCase("a token whose issue was never recorded can be redeemed, once") { open in
            let store = try await open()
            try expectEqual(try await store.redeemSample(Sample.token("t")), .opened, "first")
            let use = Sample.use(Sample.session("t"))
            try expectEqual(
                try await store.redeemSample(Sample.token("t"), suffix: "2"), .alreadyUsed(use), "second")
        },
        ConformanceCase("a second redemption reports the first and leaves nothing behind") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.redeemSample(token)
            let again = try await open().redeemSample(token, suffix: "2", at: Sample.now + .milliseconds(7))
            try expectEqual(again, .alreadyUsed(Sample.use(Sample.session("t"))), "outcome")
            try expectEqual(try await store.session(id: "session-t2"), nil, "second session")
            try expectEqual(try await store.events(.loginTokenRedeemed).count, 1, "events")
        },
        ConformanceCase("every field of a session and of a use comes back as it was") { open in
            let store = try await open()
            let full = WebSession(
                id: "s-1", secretDigest: "d-1", subject: "Zoë 王 👩‍💻", clientID: "web", appClientID: "app",
                parentID: "parent/ß", loginTokenID: "t-1", opening: .loginToken,
                authentication: Authentication(
                    time: Timestamp(milliseconds: 1_700_000_000_001), acr: "urn:ä:2", amr: ["pwd", "o t,p\"", "ü"]),
                createdAt: Sample.now, expiresAt: Sample.now + .milliseconds(3_600_001),
                idleLifetime: .milliseconds(600_003), lastSeenAt: Sample.now + .milliseconds(5),
                endedAt: Sample.now + .milliseconds(9))
            let use = LoginTokenUse(
                at: Sample.now, sessionID: "s-1", address: "2001:db8::1", userAgentDigest: "größe")
            _ = try await store.redeem(
                Sample.token("t-1"), opening: full, use: use, replacing: [], events: [])
            let bare = WebSession(
                id: "s-2", secretDigest: "d-2", subject: "bob", clientID: "web", appClientID: nil, parentID: nil,
                loginTokenID: "t-2", opening: .loginToken, authentication: Authentication(), createdAt: Sample.now,
                expiresAt: Sample.now + .seconds(1), idleLifetime: .seconds(1), lastSeenAt: Sample.now)
            let bareUse = LoginTokenUse(at: Sample.now, sessionID: "s-2", address: nil, userAgentDigest: nil)
            _ = try await store.redeem(
                Sample.token("t-2"), opening: bare, use: bareUse, replacing: [], events: [])
            let other = try await open()
            try expectEqual(try await other.session(secretDigest: "d-1"), full, "full session by secret")
            try expectEqual(try await other.session(id: "s-1"), full, "full session by id")
            try expectEqual(try await other.state(of: "t-1")?.status, .redeemed(use), "full use")
            try expectEqual(try await other.session(id: "s-2"), bare, "bare session")
            try expectEqual(try await other.state(of: "t-2")?.status, .redeemed(bareUse), "bare use")
        },
        ConformanceCase("the replaced session ends in the same step, with its event") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("old"))
            let replaced = ReplacedSession.sample(Sample.session("old", token: "old"), by: "bob")
            _ = try await store.redeemSample(
                Sample.token("new"), at: Sample.now + .seconds(1), replacing: replaced)
            try expectEqual(
                try await store.session(id: "session-old")?.endedAt, Sample.now + .seconds(1), "its end")
            try expectEqual(
                try await store.events(.webSessionSwitched).map(\.sessionID), ["session-old"], "its events")
        },
        ConformanceCase("a hand-off that takes its own parent's place does not come to hang under itself") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("portal"))
            let outcome = try await store.redeem(
                Sample.token("h"), opening: Sample.handOff("h", from: "session-portal"),
                use: Sample.use(Sample.session("h")),
                replacing: [.sample(Sample.session("portal", token: "portal"), by: "alice")], events: [])
            try expectEqual(outcome, .opened, "outcome")
            try expectEqual(try await store.session(id: "session-h")?.parentID, "session-portal", "parent")
        },
        ConformanceCase("a hand-off of a session that has ended opens nothing") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("portal"))
            _ = try await store.end(.webSession("session-portal"), .sample())
            let outcome = try await store.redeem(
                Sample.token("h"), opening: Sample.handOff("h", from: "session-portal"),
                use: Sample.use(Sample.session("h")), replacing: [], events: [])
            guard case .revoked = outcome else { throw ConformanceFailure(description: "it gave \(outcome)") }
            try expectEqual(try await store.session(id: "session-h"), nil, "session")
        },
        ConformanceCase("no hand-off outlives an end of its portal's session that races with it") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].redeemSample(Sample.token("portal"))
            _ = try await concurrently(21) { number in
                if number == 10 {
                    _ = try await servers[1].end(.webSession("session-portal"), .sample())
                } else {
                    _ = try await servers[0].redeem(
                        Sample.token("h\(number)"), opening: Sample.handOff("h\(number)", from: "session-portal"),
                        use: Sample.use(Sample.session("h\(number)")), replacing: [], events: [])
                }
            }
            for number in 0..<21 {
                let session = try await servers[0].session(id: SessionID(rawValue: "session-h\(number)"))
                try expect(session == nil || session?.endedAt != nil, "hand-off \(number) is not alive")
            }
        },
        ConformanceCase("several replaced sessions end in the same step, each with its event") { open in
            let store = try await open()
            for name in ["one", "two"] { _ = try await store.redeemSample(Sample.token(name)) }
            let replaced = ["one", "two"].map {
                ReplacedSession.sample(Sample.session($0, token: TokenID(rawValue: $0)), by: "bob")
            }
            _ = try await store.redeemSample(Sample.token("new"), replacing: replaced[0], replaced[1])
            for name in ["one", "two"] {
                try expectEqual(
                    try await store.session(id: SessionID(rawValue: "session-\(name)"))?.endedAt, Sample.now, name)
            }
            try expectEqual(
                Set(try await store.events(.webSessionSwitched).map(\.sessionID)), ["session-one", "session-two"],
                "their events")
        },
        ConformanceCase("a replaced session that ended before keeps its end and gets no event") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("old"))
            _ = try await store.end(.webSession("session-old"), .sample(at: Sample.now))
            let replaced = ReplacedSession.sample(Sample.session("old", token: "old"), by: "bob")
            _ = try await store.redeemSample(Sample.token("new"), at: Sample.now + .seconds(1), replacing: replaced)
            try expectEqual(try await store.session(id: "session-old")?.endedAt, Sample.now, "its end")
            try expectEqual(try await store.events(.webSessionSwitched).count, 0, "events")
        },
        ConformanceCase("a refused redemption leaves the session it would have replaced alone") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("old"))
            _ = try await store.redeemSample(Sample.token("used"))
            let replaced = ReplacedSession.sample(Sample.session("old", token: "old"), by: "bob")
            _ = try await store.redeemSample(Sample.token("used"), suffix: "2", replacing: replaced)
            try expectEqual(try await store.session(id: "session-old")?.endedAt, nil, "its end")
        },
        ConformanceCase("of many redemptions at once each token opens one session, a revoked one none") { open in
            let servers = [try await open(), try await open()]
            let tokens = (0..<20).map { Sample.token("t\($0)") }
            for token in tokens {
                _ = try await servers[0].recordIssue(
                    token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            }
            _ = try await servers[1].revoke(tokens[7], at: Sample.now, event: Sample.event(.loginTokenRevoked))
            let outcomes = try await concurrently(80) { number in
                try await servers[number % 2].redeemSample(tokens[number % 20], suffix: "-\(number)")
            }
            for (number, token) in tokens.enumerated() {
                let calls = Array(stride(from: number, to: 80, by: 20))
                let winners = calls.filter { outcomes[$0] == .opened }
                try expectEqual(winners.count, number == 7 ? 0 : 1, "winners of \(token.id)")
                for call in calls {
                    let session = try await servers[0].session(id: SessionID(rawValue: "session-\(token.id)-\(call)"))
                    try expectEqual(session != nil, winners.contains(call), "session of call \(call)")
                }
            }
            try expectEqual(try await servers[0].events(.webSessionOpened).count, 19, "events")
        },
        ConformanceCase("a redemption survives a restart") { open in
            let first = try await open()
            _ = try await first.redeemSample(Sample.token("t"))
            try await first.close()
            let second = try await open()
            try expect(
                try await second.redeemSample(Sample.token("t"), suffix: "2")
                    == .alreadyUsed(Sample.use(Sample.session("t"))), "the token is used after a restart")
            try expect(try await second.session(id: "session-t") != nil, "the session is there after a restart")
        },
    ]
}
