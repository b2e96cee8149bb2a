package import Bridge

/// What every ``SessionStore`` must do.
package enum WebSessionStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("an unknown secret or id has no session") { open in
            let store = try await open()
            try expectEqual(try await store.session(secretDigest: "nothing"), nil, "by secret")
            try expectEqual(try await store.session(id: "nothing"), nil, "by id")
        },
        ConformanceCase("a touch moves the last sight forward, never back") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("t"))
            try await store.touch("session-t", at: Sample.now + .milliseconds(1500))
            try await store.touch("session-t", at: Sample.now + .milliseconds(700))
            try expectEqual(
                try await open().session(id: "session-t")?.lastSeenAt, Sample.now + .milliseconds(1500), "last seen")
        },
        ConformanceCase("a touch of an ended session changes nothing") { open in
            let store = try await open()
            _ = try await store.redeemSample(Sample.token("t"))
            _ = try await store.end(.webSession("session-t"), .sample(at: Sample.now))
            try await store.touch("session-t", at: Sample.now + .seconds(1))
            let session = try await store.session(id: "session-t")
            try expectEqual(session?.lastSeenAt, Sample.now, "last seen")
            try expectEqual(session?.endedAt, Sample.now, "ended")
        },
        ConformanceCase("of 20 concurrent ends on two servers one ends the session, with one event") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].redeemSample(Sample.token("t"))
            let ended = try await concurrently(20) { number in
                try await servers[number % 2].end(
                    .webSession("session-t"), .sample(at: Sample.now + .milliseconds(Int64(number))))
            }
            let winners = ended.indices.filter { !ended[$0].isEmpty }
            try expectEqual(winners.count, 1, "who ended it")
            try expectEqual(
                try await servers[0].session(id: "session-t")?.endedAt,
                Sample.now + .milliseconds(Int64(winners[0])), "its end")
            try expectEqual(try await servers[0].events(.webSessionEnded).count, 1, "events")
        },
        ConformanceCase("ending an unknown session does nothing") { open in
            let store = try await open()
            let ended = try await store.end(.webSession("nobody"), .sample(at: Sample.now))
            try expectEqual(ended, .nothing, "ended")
            try expectEqual(try await store.events(.webSessionEnded).count, 0, "events")
        },
        ConformanceCase("the ends since a mark are listed, whatever time they bear, and none before it") { open in
            let store = try await open()
            for number in 0..<4 { _ = try await store.redeemSample(Sample.token("t\(number)")) }
            _ = try await store.end(.webSession("session-t0"), .sample())
            let begun = try await open().sessionsEnded(since: nil)
            try expectEqual(begun.hasGap, true, "at first")
            let mark = try await markAfterAll(store, since: begun.mark)
            // By a clock that stands wrong by an hour, either way.
            _ = try await store.end(.webSession("session-t1"), .sample(at: Sample.now - .seconds(3600)))
            _ = try await store.end(.webSession("session-t2"), .sample(at: Sample.now + .seconds(3000)))
            let found = try await open().sessionsEnded(since: mark)
            try expectEqual(Set(found.ended), ["session-t1", "session-t2"], "ended")
            try expectEqual(found.hasGap, false, "no gap")
            _ = try await markAfterAll(try await open(), since: found.mark)
        },
        ConformanceCase("an app's sign-out ends what its issuer's bearers opened of the user, and nothing else") {
            open in
            let store = try await open()
            func add(_ name: String, _ subject: Subject = "alice", app: ClientID = "app", under parent: SessionID?)
                async throws
            {
                let token = Sample.token(name, subject: subject)
                let session = WebSession(
                    id: SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)", subject: subject,
                    clientID: "web", appClientID: app, parentID: parent, loginTokenID: token.id, opening: .loginToken,
                    authentication: Authentication(), createdAt: Sample.now, expiresAt: Sample.now + .seconds(3600),
                    idleLifetime: .seconds(600), lastSeenAt: Sample.now)
                _ = try await store.redeem(
                    token, opening: session, use: Sample.use(session), replacing: [], events: [])
            }
            try await store.addUser("alice", at: Sample.now)
            _ = try await store.recordIssue(
                Sample.token("late"), scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            _ = try await store.open(Sample.appSession("own"), refreshToken: nil, events: [])
            try await add("plain", under: nil)
            try await add("phone", under: "phone")
            try await add("tablet", under: "tablet")
            try await add("ours", under: Sample.appSession("own").id)
            try await add("bob", "bob", under: nil)
            try await add("else", app: "another", under: nil)
            let phone = try await store.end(
                .opened(by: "app", of: "alice", in: "phone"), .sample(at: Sample.now + .seconds(1)))
            try expectEqual(phone.sessions, ["session-phone"], "of one session of the app")
            let all = try await store.end(
                .opened(by: "app", of: "alice", in: nil), .sample(at: Sample.now + .seconds(1)))
            try expectEqual(
                all.sessions.sorted { $0.rawValue < $1.rawValue }, ["session-plain", "session-tablet"], "of any")
            for name in ["ours", "bob", "else"] {
                try expectEqual(
                    try await store.session(id: SessionID(rawValue: "session-\(name)"))?.endedAt, nil, name)
            }
            guard case .revoked = try await store.redeemSample(Sample.token("late"), at: Sample.now + .seconds(2))
            else {
                throw ConformanceFailure(description: "a token that nobody had used still opens a session")
            }
        },
        ConformanceCase("numbers that began anew are a gap") { open in
            let store = try await open()
            let begun = try await store.sessionsEnded(since: nil).mark
            let ahead = EndMark(run: begun.run, number: begun.number + 1_000_000)
            try expectEqual(try await store.sessionsEnded(since: ahead).hasGap, true, "a lower number")
            let other = EndMark(run: "another run", number: begun.number)
            try expectEqual(try await store.sessionsEnded(since: other).hasGap, true, "another run")
        },
        ConformanceCase("of ends on two servers at once none is missed by who reads all the while") { open in
            let servers = [try await open(), try await open()]
            for number in 0..<60 { _ = try await servers[0].redeemSample(Sample.token("t\(number)")) }
            var mark = try await servers[0].sessionsEnded(since: nil).mark
            var found: Set<SessionID> = []
            async let ending = concurrently(60) { number in
                try await servers[number % 2].end(.webSession(SessionID(rawValue: "session-t\(number)")), .sample())
            }
            for _ in 0..<30 {
                let news = try await servers[1].sessionsEnded(since: mark)
                found.formUnion(news.ended)
                mark = news.mark
            }
            _ = try await ending
            found.formUnion(try await servers[1].sessionsEnded(since: mark).ended)
            try expectEqual(found.count, 60, "found")
        },
        ConformanceCase("a purge takes sessions whose absolute end is before the cutoff, up to its limit") { open in
            let store = try await open()
            for number in 1...4 {
                let token = Sample.token("t\(number)")
                let session = Sample.session("t\(number)", token: token.id, lifetime: .milliseconds(Int64(number)))
                _ = try await store.redeem(
                    token, opening: session, use: Sample.use(session), replacing: [], events: [])
            }
            let cutoff = Sample.now + .milliseconds(4)
            try expectEqual(try await store.purgeSessions(expiredBefore: cutoff, limit: 2), 2, "first purge")
            try expectEqual(try await store.session(id: "session-t2"), nil, "an old one")
            try expect(try await store.session(id: "session-t3") != nil, "a younger one waits")
            try expectEqual(try await store.purgeSessions(expiredBefore: cutoff, limit: 10), 1, "second purge")
            try expect(try await store.session(id: "session-t4") != nil, "one that ends at the cutoff is kept")
        },
        ConformanceCase("a purge takes sessions that were ended and such that were not, as many of each") { open in
            let store = try await open()
            for number in 1...6 {
                let token = Sample.token("t\(number)")
                let session = Sample.session("t\(number)", token: token.id, lifetime: .milliseconds(Int64(number)))
                _ = try await store.redeem(
                    token, opening: session, use: Sample.use(session), replacing: [], events: [])
                if number > 3 { _ = try await store.end(.webSession(session.id), .sample()) }
            }
            func left() async throws -> [Int] {
                var left: [Int] = []
                for number in 1...6 {
                    let id = SessionID(rawValue: "session-t\(number)")
                    if try await store.session(id: id) != nil { left.append(number) }
                }
                return left
            }
            let cutoff = Sample.now + .seconds(1)
            try expectEqual(try await store.purgeSessions(expiredBefore: cutoff, limit: 2), 2, "first purge")
            try expectEqual(try await left(), [3, 6], "the oldest of each went")
            try expectEqual(try await store.purgeSessions(expiredBefore: cutoff, limit: 2), 1, "second purge")
            try expectEqual(try await left(), [], "nothing is left")
        },
    ]

    /// A mark behind everything that has ended by now. While any older transaction is open, whoever's it is, a mark may
    /// stand before what was read already, and that is found once more.
    private static func markAfterAll(_ store: any BridgeStorage, since mark: EndMark) async throws -> EndMark {
        let limit = ContinuousClock.now + .seconds(30)
        var news = try await store.sessionsEnded(since: mark)
        while !news.ended.isEmpty {
            try expect(ContinuousClock.now < limit, "what was read before is found again: \(news.ended)")
            try await Task.sleep(for: .milliseconds(10))
            news = try await store.sessionsEnded(since: news.mark)
        }
        return news.mark
    }
}
