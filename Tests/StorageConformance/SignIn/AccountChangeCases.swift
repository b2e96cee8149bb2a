import Bridge
import OAuth2

/// What counts as a change of an account, and what stands in the way of one.
enum AccountChangeCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        seen, seenAtOnce, seenGuest, changedClaims, ableAdministrators,
        ConformanceCase("names that stay as they are are no change, and no event") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            let before = try await store.account(of: "alice")
            let names = AccountNames(
                username: before?.username, displayName: before?.displayName, email: before?.email)
            try expectEqual(try await store.change("alice", UserChange(names: names)), .unchanged, "outcome")
            try expectEqual(try await store.account(of: "alice"), before, "as it was")
            try expectEqual(try await store.events(.userRenamed).count, 0, "events")
        },
        ConformanceCase("an app's sign-out stands in the way of no new password, an end of everything does") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            func seen() async throws -> Account {
                guard let account = try await store.account(of: "alice") else {
                    throw ConformanceFailure(description: "no account")
                }
                return account
            }
            func replace(of account: Account, after seconds: Int) async throws -> ReplacedPassword? {
                try await store.replacePassword(
                    try Sample.passwordHash("p\(seconds)"), of: account, by: .link(madeAfter: Sample.now),
                    event: Sample.event(.userPasswordChanged),
                    ending: .sample(.passwordChanged, at: Sample.now + .seconds(seconds)))
            }
            func signOut(at moment: Timestamp) async throws {
                _ = try await store.end(.opened(by: "app", of: "alice", in: nil), .sample(.signedOutInApp, at: moment))
            }
            let first = try await seen()
            // The clock stands, and goes on.
            for moment in [Sample.now, Sample.now, Sample.now + .seconds(1)] { try await signOut(at: moment) }
            try expectEqual(try await seen().everythingEndedAt, first.everythingEndedAt, "after sign-outs")
            _ = try await store.end(.unused(of: "alice"), .sample(.endedByUser, at: Sample.now + .seconds(1)))
            try expectEqual(
                try await seen().everythingEndedAt, first.everythingEndedAt, "after an end of what is unused")
            try expect(try await replace(of: first, after: 2) != nil, "a password of before the sign-outs")
            let second = try await seen()
            try expect(second.everythingEndedAt != first.everythingEndedAt, "after a new password")
            try await signOut(at: Sample.now + .seconds(3))
            _ = try await store.end(.user("alice"), .sample(at: Sample.now + .seconds(3)))
            try await signOut(at: Sample.now + .seconds(3))
            try expect(try await seen().everythingEndedAt != second.everythingEndedAt, "after an end of everything")
            try expectEqual(try await replace(of: second, after: 4), nil, "a password of before the end")
        },
    ]

    private static let seen = ConformanceCase<any BridgeStorage>(
        "a user who is not as an administrator saw them is not changed"
    ) { open in
        let store = try await open()
        _ = try await store.add("root")
        _ = try await store.add("alice", subject: "alice")
        let changes: [UserChange] = [
            UserChange(claims: try StandardClaims(["nickname": .string("Al")])), UserChange(role: .take),
            UserChange(names: AccountNames(username: try Sample.username("alice"), displayName: "A", email: nil)),
            UserChange(isDisabled: true), UserChange(isDisabled: false),
            // One letter, in two spellings: equal texts, and not the same bytes.
            UserChange(claims: try StandardClaims(["nickname": .string("Zo\u{EB}")])),
            UserChange(claims: try StandardClaims(["nickname": .string("Zoe\u{308}")])),
            UserChange(claims: try StandardClaims(["nickname": .string("Al")])),
        ]
        for (number, change) in changes.enumerated() {
            let seen = try await store.overview(of: "alice")
            var late = UserChange(passwordHash: try Sample.passwordHash("late"), claims: StandardClaims.none)
            late.seen = seen
            try expectEqual(try await store.change("alice", change), .changed(.nothing), "change \(number)")
            try expectEqual(try await open().change("alice", late), .changedMeanwhile, "after change \(number)")
        }
        try expectEqual(try await store.account(of: "alice")?.claims.values["nickname"], .string("Al"), "claims")
        try expectEqual(try await store.events(.userPasswordChanged).count, 0, "events")
        var current = UserChange(role: .give(.admin))
        current.seen = try await store.overview(of: "alice")
        try expectEqual(try await store.change("alice", current), .changed(.nothing), "as it is")
    }

    private static let seenAtOnce = ConformanceCase<any BridgeStorage>(
        "of changes of one state of a user that are made at once, one is made"
    ) { open in
        let servers = [try await open(), try await open()]
        for name in ["alice", "root"] { _ = try await servers[0].add(name, subject: name) }
        for name: Subject in ["alice", "root"] {
            let seen = try await servers[0].overview(of: name)
            let outcomes = try await concurrently(8) { number in
                var change = UserChange(claims: try StandardClaims(["nickname": .string("\(number)")]))
                // One that holds every administrator, and one that holds the user alone.
                if number % 2 == 0 { change.isDisabled = true }
                change.seen = seen
                return try await servers[number / 2 % 2].change(name, change)
            }
            try expectEqual(outcomes.count { $0 == .changedMeanwhile }, 7, "others")
            _ = try await servers[0].change(name, UserChange(isDisabled: false))
        }
    }

    private static let seenGuest = ConformanceCase<any BridgeStorage>(
        "a user of another issuer is not changed either who is not as an administrator saw them"
    ) { open in
        let store = try await open()
        try await store.addUser("guest", at: Sample.now)
        var change = UserChange(isDisabled: true)
        change.seen = try await store.overview(of: "guest")
        try await store.change("guest", UserChange(isDisabled: true))
        try await store.change("guest", UserChange(isDisabled: false))
        try expect(try await store.change("guest", change) != .changedMeanwhile, "as it was again")
        try expectEqual(try await store.change("guest", change), .changedMeanwhile, "disabled by now")
        change.seen = nil
        try expectEqual(try await store.change("guest", change), .unchanged, "whatever was seen")
    }

    private static let changedClaims = ConformanceCase<any BridgeStorage>(
        "the event of changed claims has the names of those that changed, and nothing that they say"
    ) { open in
        let store = try await open()
        _ = try await store.add("alice", subject: "alice")
        let claims: [[String: JSONValue]] = [
            ["nickname": .string("Al"), "groups": .array([.string("staff")])],
            ["nickname": .string("Al"), "groups": .array([.string("board")])],
            ["nickname": .string("Zo\u{EB}"), "locale": .string("en")],
            ["nickname": .string("Zoe\u{308}"), "locale": .string("en")], [:],
        ]
        for (number, values) in claims.enumerated() {
            _ = try await store.changeUser(
                "alice", UserChange(claims: try StandardClaims(values)),
                events: { type, facts in
                    Sample.event(type, reason: "\(number) \((facts.fields ?? []).joined(separator: " "))")
                }, ending: .sample())
        }
        try expectEqual(
            try await store.events(.userClaimsChanged).map(\.reason).reversed(),
            ["0 groups nickname", "1 groups", "2 groups locale nickname", "3 nickname", "4 locale nickname"], "fields")
    }

    private static let ableAdministrators = ConformanceCase<any BridgeStorage>(
        "an administrator whom nobody can sign in as leaves the last one who can"
    ) { open in
        let store = try await open()
        _ = try await store.add("root", subject: "root")
        try await store.addAdministrator("ghost")
        try expectEqual(try await store.change("root", UserChange(role: .take)), .lastAdministrator, "demoting")
        try expectEqual(try await store.change("root", UserChange(isDisabled: true)), .lastAdministrator, "disabling")
        try expectEqual(try await store.change("ghost", UserChange(role: .take)), .changed(.nothing), "the other one")
        try await store.change("ghost", UserChange(role: .give(.admin)))
        try await store.change("ghost", UserChange(passwordHash: try Sample.passwordHash()))
        try expectEqual(try await store.change("root", UserChange(role: .take)), .changed(.nothing), "with a password")
        try await store.change("root", UserChange(role: .give(.admin)))
        try await store.change("ghost", UserChange(role: .take))
        // Not by a password, and still by another way.
        let upstream = UpstreamIdentity(issuer: "https://up.example", subject: "7")
        let linked = Account(subject: "linked", username: nil, role: .admin, createdAt: Sample.now)
        _ = try await store.addAccount(
            linked, issuer: Account.issuer, link: upstream, event: Sample.event(.userCreated))
        try expectEqual(try await store.change("root", UserChange(role: .take)), .changed(.nothing), "with a provider")
    }
}

extension BridgeStorage {
    /// As an administrator sees a user.
    fileprivate func overview(of subject: Subject) async throws -> UserOverview {
        guard let record = try await record(of: subject) else {
            throw ConformanceFailure(description: "\(subject) is unknown")
        }
        return UserOverview(record, account: try await account(of: subject))
    }
}
