package import Bridge

/// What every ``WebSessionStore`` must do.
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
            _ = try await store.end("session-t", at: Sample.now, event: Sample.event(.webSessionEnded))
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
                    "session-t", at: Sample.now + .milliseconds(Int64(number)), event: Sample.event(.webSessionEnded))
            }
            let winners = ended.indices.filter { ended[$0] }
            try expectEqual(winners.count, 1, "who ended it")
            try expectEqual(
                try await servers[0].session(id: "session-t")?.endedAt,
                Sample.now + .milliseconds(Int64(winners[0])), "its end")
            try expectEqual(try await servers[0].events(.webSessionEnded).count, 1, "events")
        },
        ConformanceCase("ending an unknown session does nothing") { open in
            let store = try await open()
            let ended = try await store.end("nobody", at: Sample.now, event: Sample.event(.webSessionEnded))
            try expectEqual(ended, false, "ended")
            try expectEqual(try await store.events(.webSessionEnded).count, 0, "events")
        },
        ConformanceCase("the ends since an instant are listed, that instant's own among them") { open in
            let store = try await open()
            for number in 0..<4 { _ = try await store.redeemSample(Sample.token("t\(number)")) }
            for number in 0..<3 {
                _ = try await store.end(
                    SessionID(rawValue: "session-t\(number)"), at: Sample.now + .milliseconds(Int64(number)),
                    event: Sample.event(.webSessionEnded))
            }
            let ended = try await open().sessionsEnded(since: Sample.now + .milliseconds(1))
            try expectEqual(Set(ended), ["session-t1", "session-t2"], "ended")
            try expectEqual(ended.count, 2, "each once")
        },
        ConformanceCase("a purge takes sessions whose absolute end is before the cutoff, up to its limit") { open in
            let store = try await open()
            for number in 1...4 {
                let token = Sample.token("t\(number)")
                let session = Sample.session("t\(number)", token: token.id, lifetime: .milliseconds(Int64(number)))
                _ = try await store.redeem(
                    token, opening: session, use: Sample.use(session), replacing: nil, events: [])
            }
            let cutoff = Sample.now + .milliseconds(4)
            try expectEqual(try await store.purgeSessions(expiredBefore: cutoff, limit: 2), 2, "first purge")
            try expectEqual(try await store.session(id: "session-t2"), nil, "an old one")
            try expect(try await store.session(id: "session-t3") != nil, "a younger one waits")
            try expectEqual(try await store.purgeSessions(expiredBefore: cutoff, limit: 10), 1, "second purge")
            try expect(try await store.session(id: "session-t4") != nil, "one that ends at the cutoff is kept")
        },
    ]
}
