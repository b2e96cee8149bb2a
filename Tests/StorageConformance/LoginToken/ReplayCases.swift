import Bridge

extension LoginTokenStoreConformance {
    static let replayCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("20 concurrent replays on two servers end the session once") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].redeemSample(Sample.token("t"))
            let ended = try await concurrently(20) { number in
                try await servers[number % 2].recordReplay(
                    of: "t", replay: Sample.event(.loginTokenReplayed), ending: .sample(at: Sample.now + .seconds(1)),
                    alwaysTells: number < 3)
            }
            try expectEqual(ended.flatMap(\.sessions), ["session-t"], "who ended it")
            try expectEqual(
                try await servers[1].session(id: "session-t")?.endedAt, Sample.now + .seconds(1), "its end")
            // The one that ended it is told in any case.
            let told = ended.prefix(3).contains { !$0.isEmpty } ? 3 : 4
            try expectEqual(try await servers[0].events(.loginTokenReplayed).count, told, "replays")
            try expectEqual(
                try await servers[0].events(.webSessionEnded).map(\.sessionID), ["session-t"], "ends")
        },
        ConformanceCase("a replay that is only recorded leaves the session alone") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("t"))
            for alwaysTells in [true, false] {
                let ended = try await store.recordReplay(
                    of: "t", replay: Sample.event(.loginTokenReplayed), ending: nil, alwaysTells: alwaysTells)
                try expectEqual(ended, .nothing, "ended")
            }
            try expectEqual(try await store.session(id: "session-t")?.endedAt, nil, "its end")
            try expectEqual(try await store.events(.loginTokenReplayed).count, 1, "replays")
            try expectEqual(try await store.events(.webSessionEnded).count, 0, "ends")
        },
        ConformanceCase("a replay ends what was granted in the session, offline or under the one that came after") {
            open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("t"))
            try await store.openSample(
                Sample.appSession("offline", browser: "session-t", scope: ["offline_access"]))
            let replaced = ReplacedSession.sample(Sample.session("t", token: "t"))
            _ = try await store.redeemSample(Sample.token("next"), replacing: replaced)
            try expectEqual(try await store.appSession(id: "app-offline")?.browserSessionID, "session-next", "moved")
            let ended = try await store.recordReplay(
                of: "t", replay: Sample.event(.loginTokenReplayed), ending: .sample(at: Sample.now),
                alwaysTells: true)
            try expectEqual(ended.sessions, ["app-offline"], "ended")
            try expectEqual(try await store.session(id: "session-next")?.endedAt, nil, "what came after")
        },
    ]

    static let purgeCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a purge takes what expired before the cutoff and keeps the rest") { open in
            let store = try await open()
            let due = Sample.token("due", lifetime: .milliseconds(59_999))
            let kept = Sample.token("kept", lifetime: .seconds(60))
            for token in [due, kept] {
                _ = try await store.recordIssue(
                    token, scope: nil, idempotency: Sample.record(key: "key-\(token.id)", token: token),
                    event: Sample.event(.loginTokenIssued))
            }
            let purged = try await store.purgeLoginTokens(expiredBefore: kept.expiresAt, limit: 100)
            try expectEqual(purged, 1, "purged")
            try expectEqual(try await store.state(of: "due"), nil, "the due token")
            try expectEqual(try await store.state(of: "kept")?.token, kept, "the kept token")
            try expect(
                try await store.idempotencyRecord(keyDigest: "key-kept", at: Sample.now) != nil, "the kept key is there"
            )
            try expectEqual(
                try await store.idempotencyRecord(keyDigest: "key-due", at: Sample.now), nil, "the due key")
        },
        ConformanceCase("a purge stops at its limit, oldest first") { open in
            let store = try await open()
            for number in 1...5 {
                _ = try await store.recordIssue(
                    Sample.token("t\(number)", lifetime: .seconds(number)), scope: nil, idempotency: nil,
                    event: Sample.event(.loginTokenIssued))
            }
            let cutoff = Sample.now + .seconds(60)
            try expectEqual(try await store.purgeLoginTokens(expiredBefore: cutoff, limit: 2), 2, "first purge")
            try expectEqual(try await store.state(of: "t2"), nil, "an old one")
            try expect(try await store.state(of: "t3") != nil, "a younger one waits for the next purge")
            try expectEqual(try await store.purgeLoginTokens(expiredBefore: cutoff, limit: 10), 3, "second purge")
        },
        ConformanceCase("a purged token that opened a session still cannot be used again") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.redeemSample(token)
            _ = try await store.purgeLoginTokens(expiredBefore: token.expiresAt + .seconds(1), limit: 10)
            let again = try await store.redeemSample(token, suffix: "2", at: Sample.now + .seconds(1))
            let known = LoginTokenUse(at: Sample.now, sessionID: "session-t", address: nil, userAgentDigest: nil)
            try expectEqual(again, .alreadyUsed(known), "outcome")
            try expectEqual(try await store.state(of: "t"), nil, "nothing of the attempt stays")
            try expectEqual(try await store.events(.loginTokenRedeemed).count, 1, "events")
        },
    ]
}
