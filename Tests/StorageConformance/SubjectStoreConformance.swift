package import Bridge
import OAuth2

/// What every ``UserStore`` must do.
package enum SubjectStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a user is unknown, then active, then disabled, then active") { open in
            let store = try await open()
            try expectEqual(try await store.standing(of: "alice"), .unknown, "before")
            try await store.addUser("alice", at: Sample.now)
            try expectEqual(try await store.standing(of: "alice"), .active, "seen")
            try expectEqual(try await store.setDisabled(true), .changed(.nothing), "ended sessions")
            try expectEqual(try await open().standing(of: "alice"), .disabled, "disabled")
            try expectEqual(try await store.setDisabled(false), .changed(.nothing), "ended sessions")
            try expectEqual(try await store.standing(of: "alice"), .active, "enabled")
            try expectEqual(try await store.events(.userDisabled).count, 1, "disabled events")
            try expectEqual(try await store.events(.userEnabled).count, 1, "enabled events")
        },
        ConformanceCase("the list of disabled users holds each of them, at most as many as are asked for") { open in
            let store = try await open()
            for subject in ["alice", "bob", "carol", "dave"] as [Subject] {
                try await store.addUser(subject, at: Sample.now)
            }
            try expectEqual(try await store.disabledSubjects(limit: 9), [], "before")
            for subject in ["alice", "bob", "carol"] as [Subject] {
                try await store.change(subject, UserChange(isDisabled: true))
            }
            try await store.change("bob", UserChange(isDisabled: false))
            try expectEqual(Set(try await open().disabledSubjects(limit: 9)), ["alice", "carol"], "list")
            try expectEqual(try await store.disabledSubjects(limit: 1).count, 1, "limited")
        },
        ConformanceCase("the first sight stays the first") { open in
            let store = try await open()
            try await store.addUser("alice", issuer: "first", at: Sample.now)
            try await store.addUser("alice", issuer: "second", at: Sample.now + .seconds(1))
            let known = SubjectRecord(subject: "alice", issuer: "first", firstSeenAt: Sample.now, disabledAt: nil)
            try expectEqual(try await store.users(after: nil, limit: 10), [UserOverview(known)], "users")
        },
        ConformanceCase("of many first sights at once one is told that it was the first, and its issuer is the user's")
        { open in
            let servers = [try await open(), try await open()]
            let first = try await concurrently(40) { number in
                try await servers[number % 2].addUser("alice", issuer: "i\(number)", at: Sample.now) == .recorded
                    ? number : nil
            }.compactMap(\.self)
            try expectEqual(first.count, 1, "firsts")
            try expectEqual(try await open().record(of: "alice")?.issuer, first.first.map { "i\($0)" }, "issuer")
        },
        ConformanceCase("setting what is set, or an unknown user, writes no event") { open in
            let store = try await open()
            try expectEqual(try await store.setDisabled(true), .unchanged, "unknown")
            try await store.addUser("alice", at: Sample.now)
            try expectEqual(try await store.setDisabled(false), .unchanged, "already active")
            _ = try await store.setDisabled(true)
            try expectEqual(try await store.setDisabled(true), .unchanged, "already disabled")
            try expectEqual(try await store.events(.userDisabled).count, 1, "disabled events")
            try expectEqual(try await store.events(.userEnabled).count, 0, "enabled events")
        },
        ConformanceCase("disabling ends the user's sessions, each with its event, and nobody else's") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            for name in ["a1", "a2"] { _ = try await store.redeemSample(Sample.token(name)) }
            _ = try await store.redeemSample(Sample.token("b", subject: "bob"))
            guard case .changed(let ended) = try await store.setDisabled(true) else {
                throw ConformanceFailure(description: "alice is disabled")
            }
            try expectEqual(Set(ended.sessions), ["session-a1", "session-a2"], "ended")
            try expectEqual(try await store.session(id: "session-a1")?.endedAt, Sample.now, "alice's end")
            try expectEqual(try await store.session(id: "session-b")?.endedAt, nil, "bob's end")
            try expectEqual(
                Set(try await store.events(.webSessionEnded).map(\.sessionID)), ["session-a1", "session-a2"], "events")
        },
        ConformanceCase("a disabled user's token opens nothing, nor once enabled; one issued afterwards does") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            _ = try await store.setDisabled(true)
            let refused = try await store.redeemSample(Sample.token("t"), at: Sample.now + .seconds(1))
            try expectEqual(refused, .revoked(at: Sample.now), "outcome")
            try expectEqual(try await store.session(id: "session-t"), nil, "session")
            _ = try await store.setDisabled(false)
            // Enabling moves the mark on, by a millisecond where the clock has not moved.
            let mark = Sample.now + .milliseconds(1)
            try expectEqual(
                try await store.redeemSample(Sample.token("t")), .revoked(at: mark), "the same one afterwards")
            let later = Sample.token("later", issuedAt: mark + .milliseconds(1))
            try expectEqual(try await store.redeemSample(later), .opened, "a later one")
        },
        ConformanceCase("no session outlives a disabling that races with redemptions") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", at: Sample.now)
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
        ConformanceCase("a user's record says who first named them, and whether they have an account") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            try await store.addAdministrator("root")
            let alice = try await open().record(of: "alice")
            try expectEqual(alice?.issuer, "i", "issuer")
            try expectEqual(alice?.hasAccount, false, "a guest's account")
            let root = try await store.record(of: "root")
            try expectEqual(root?.issuer, Account.issuer, "an account's issuer")
            try expectEqual(root?.hasAccount, true, "an account")
            try expectEqual(try await store.record(of: "nobody"), nil, "unknown")
            let listed = try await store.users(after: nil, limit: 10)
            try expectEqual(listed.map(\.issuer), ["i", Account.issuer], "listed")
        },
        ConformanceCase("what another issuer says of groups is kept of its own users, and replaced") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            try await store.addAdministrator("root")
            let groups = try ["staff", "Zoë, & co"].asGroups()
            let event = Sample.event(.userClaimsChanged)
            try expectEqual(try await store.record(of: "alice")?.groups, nil, "at first")
            try expectEqual(try await store.keepGroups(groups, of: "alice", event: event), true, "news")
            try expectEqual(try await store.keepGroups(groups, of: "alice", event: event), false, "the same again")
            try expectEqual(try await open().record(of: "alice")?.groups, groups, "kept")
            let listed = try await store.users(after: nil, limit: 10)
            try expectEqual(listed.map(\.claims.values["groups"]), [groups.value, nil], "listed")
            try expectEqual(try await store.keepGroups(groups, of: "root", event: event), false, "an account")
            try expectEqual(try await store.keepGroups(groups, of: "nobody", event: event), false, "unknown")
            try expectEqual(try await store.keepGroups(.none, of: "alice", event: event), true, "out of all")
            try expectEqual(try await store.record(of: "alice")?.groups, UserGroups.none, "none left")
            try expectEqual(try await store.events(.userClaimsChanged).count, 2, "events")
        },
        ConformanceCase("the last administrator is neither disabled nor loses the role") { open in
            let store = try await open()
            for name in ["root", "deputy"] { try await store.addAdministrator(Subject(rawValue: name)) }
            try expectEqual(try await store.setDisabled(true, "deputy"), .changed(.nothing), "one of two")
            try expectEqual(try await store.setDisabled(true, "root"), .lastAdministrator, "disabling")
            try expectEqual(try await store.takeRole("root"), .lastAdministrator, "demoting")
            try expectEqual(try await store.takeRole("deputy"), .changed(.nothing), "a disabled one")
            try expectEqual(try await store.standing(of: "root"), .active, "standing")
            try expectEqual(try await store.account(of: "root")?.role, .admin, "role")
            try expectEqual(try await store.events(.userDisabled).count, 1, "disabled events")
            try expectEqual(try await store.events(.userRoleChanged).count, 1, "role events")
        },
        ConformanceCase("a change that spares nobody disables and demotes the last administrator") { open in
            let store = try await open()
            for name in ["root", "deputy"] { try await store.addAdministrator(Subject(rawValue: name)) }
            var demotion = UserChange(role: .take)
            demotion.sparesLastAdministrator = false
            var disabling = UserChange(isDisabled: true)
            disabling.sparesLastAdministrator = false
            try expectEqual(try await store.takeRole("deputy"), .changed(.nothing), "one of two")
            try expectEqual(try await store.change("root", disabling), .changed(.nothing), "disabling")
            try expectEqual(try await store.standing(of: "root"), .disabled, "standing")
            try expectEqual(try await store.setDisabled(false, "root"), .changed(.nothing), "enabling")
            try expectEqual(try await store.change("root", demotion), .changed(.nothing), "demoting")
            try expectEqual(try await open().account(of: "root")?.role, nil, "role")
        },
        ConformanceCase("of two administrators who take each other away at one time, one stays") { open in
            let servers = [try await open(), try await open()]
            let names: [Subject] = ["left", "right"]
            for name in names { try await servers[0].addAdministrator(name) }
            for round in 0..<8 {
                let outcomes = try await concurrently(2) { number in
                    round % 2 == 0
                        ? try await servers[number].setDisabled(true, names[number])
                        : try await servers[number].takeRole(names[number])
                }
                try expectEqual(outcomes.count { $0 == .lastAdministrator }, 1, "refused in round \(round)")
                for name in names {
                    _ = try await servers[0].setDisabled(false, name)
                    _ = try await servers[0].change(name, UserChange(role: .give(.admin)))
                }
            }
        },
        ConformanceCase("users are listed by subject, page by page") { open in
            let store = try await open()
            for name in ["c", "a", "é", "b"] {
                try await store.addUser(Subject(rawValue: name), at: Sample.now)
            }
            try expectEqual(
                try await store.users(after: nil, limit: 3).map(\.subject), ["a", "b", "c"], "first page")
            try expectEqual(try await store.users(after: "c", limit: 3).map(\.subject), ["é"], "second page")
        },
    ]
}

extension UserStore {
    fileprivate func setDisabled(
        _ disabled: Bool, _ subject: Subject = "alice"
    ) async throws -> UserChangeOutcome {
        try await change(subject, UserChange(isDisabled: disabled))
    }
}

extension [String] {
    fileprivate func asGroups() throws -> UserGroups {
        guard let groups = UserGroups(.array(map(JSONValue.string))) else {
            throw ConformanceFailure(description: "they are no groups")
        }
        return groups
    }
}

extension UserStore {
    fileprivate func takeRole(_ subject: Subject) async throws -> UserChangeOutcome {
        try await change(subject, UserChange(role: .take))
    }
}
