package import Bridge

/// What every ``SubjectStore`` must do.
package enum SubjectStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a user is unknown, then active, then disabled, then active") { open in
            let store = try await open()
            try expectEqual(try await store.standing(of: "alice"), .unknown, "before")
            try await store.recordFirstSight(of: "alice", issuer: "i", at: Sample.now)
            try expectEqual(try await store.standing(of: "alice"), .active, "seen")
            try expectEqual(try await store.setDisabled(true), [], "ended sessions")
            try expectEqual(try await open().standing(of: "alice"), .disabled, "disabled")
            try expectEqual(try await store.setDisabled(false), [], "ended sessions")
            try expectEqual(try await store.standing(of: "alice"), .active, "enabled")
            try expectEqual(try await store.events(.userDisabled).count, 1, "disabled events")
            try expectEqual(try await store.events(.userEnabled).count, 1, "enabled events")
        },
        ConformanceCase("the first sight stays the first") { open in
            let store = try await open()
            try await store.recordFirstSight(of: "alice", issuer: "first", at: Sample.now)
            try await store.recordFirstSight(of: "alice", issuer: "second", at: Sample.now + .seconds(1))
            let known = SubjectRecord(subject: "alice", issuer: "first", firstSeenAt: Sample.now, disabledAt: nil)
            try expectEqual(try await store.users(after: nil, limit: 10), [UserOverview(known)], "users")
        },
        ConformanceCase("setting what is set, or an unknown user, writes no event") { open in
            let store = try await open()
            try expectEqual(try await store.setDisabled(true), nil, "unknown")
            try await store.recordFirstSight(of: "alice", issuer: "i", at: Sample.now)
            try expectEqual(try await store.setDisabled(false), nil, "already active")
            _ = try await store.setDisabled(true)
            try expectEqual(try await store.setDisabled(true), nil, "already disabled")
            try expectEqual(try await store.events(.userDisabled).count, 1, "disabled events")
            try expectEqual(try await store.events(.userEnabled).count, 0, "enabled events")
        },
        ConformanceCase("disabling ends the user's sessions, each with its event, and nobody else's") { open in
            let store = try await open()
            try await store.recordFirstSight(of: "alice", issuer: "i", at: Sample.now)
            for name in ["a1", "a2"] { _ = try await store.redeemSample(Sample.token(name)) }
            _ = try await store.redeemSample(Sample.token("b", subject: "bob"))
            let ended = try await store.setDisabled(true)
            try expectEqual(Set(ended ?? []), ["session-a1", "session-a2"], "ended")
            try expectEqual(try await store.session(id: "session-a1")?.endedAt, Sample.now, "alice's end")
            try expectEqual(try await store.session(id: "session-b")?.endedAt, nil, "bob's end")
            try expectEqual(
                Set(try await store.events(.webSessionEnded).map(\.sessionID)), ["session-a1", "session-a2"], "events")
        },
        ConformanceCase("a disabled user's token opens nothing, nor once enabled; one issued afterwards does") { open in
            let store = try await open()
            try await store.recordFirstSight(of: "alice", issuer: "i", at: Sample.now)
            _ = try await store.setDisabled(true)
            let refused = try await store.redeemSample(Sample.token("t"), at: Sample.now + .seconds(1))
            try expectEqual(refused, .revoked(at: Sample.now), "outcome")
            try expectEqual(try await store.session(id: "session-t"), nil, "session")
            _ = try await store.setDisabled(false)
            try expectEqual(
                try await store.redeemSample(Sample.token("t")), .revoked(at: Sample.now), "the same one afterwards")
            let later = Sample.token("later", issuedAt: Sample.now + .milliseconds(1))
            try expectEqual(try await store.redeemSample(later), .opened, "a later one")
        },
        ConformanceCase("no session outlives a disabling that races with redemptions") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].recordFirstSight(of: "alice", issuer: "i", at: Sample.now)
            _ = try await concurrently(21) { number in
                if number == 10 {
                    _ = try await servers[1].setDisabled(true)
                } else {
                    _ = try await servers[0].redeemSample(Sample.token("t\(number)"))
                }
            }
            for number in 0..<21 {
                let session = try await servers[0].session(id: SessionID(rawValue: "session-t\(number)"))
                try expect(session == nil || session?.endedAt != nil, "session \(number) is not alive")
            }
        },
        ConformanceCase("users are listed by subject, page by page") { open in
            let store = try await open()
            for name in ["c", "a", "é", "b"] {
                try await store.recordFirstSight(of: Subject(rawValue: name), issuer: "i", at: Sample.now)
            }
            try expectEqual(
                try await store.users(after: nil, limit: 3).map(\.subject), ["a", "b", "c"], "first page")
            try expectEqual(try await store.users(after: "c", limit: 3).map(\.subject), ["é"], "second page")
        },
    ]
}

extension SubjectStore {
    fileprivate func setDisabled(_ disabled: Bool) async throws -> [SessionID]? {
        try await setDisabled(
            disabled, subject: "alice", event: Sample.event(disabled ? .userDisabled : .userEnabled),
            ending: .sample("user_disabled")
        )?.sessions
    }
}
