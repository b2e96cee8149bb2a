package import Bridge
import OAuth2

/// What every ``UserStore`` must do.
package enum AccountStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("an account is found by any spelling of its name, and by its subject") { open in
            let store = try await open()
            try expectEqual(try await store.add("Alice"), .added, "adding")
            let found = try await open().account(named: try Sample.username("aLICE"))
            try expectEqual(found, try Sample.account("Alice"), "by name")
            try expectEqual(try await store.account(of: "sub-Alice"), found, "by subject")
            try expectEqual(try await store.account(of: "nobody"), nil, "unknown")
            try expectEqual(try await store.standing(of: "sub-Alice"), .active, "standing")
        },
        ConformanceCase("the list of users has what their accounts say") { open in
            let store = try await open()
            try await store.recordFirstSight(of: "guest", issuer: "i", at: Sample.now)
            try expectEqual(try await store.add("Alice"), .added, "adding")
            let factor = SecondFactor(sealedSecret: "sealed", lastStep: 0)
            _ = try await store.setSecondFactor(
                factor, recoveryDigests: [], of: "sub-Alice", at: Sample.now, event: Sample.event(.userCreated))
            let users = try await store.users(after: nil, limit: 10)
            try expectEqual(users.map(\.subject), ["guest", "sub-Alice"], "subjects")
            try expectEqual(users.map(\.username), [nil, "Alice"], "names")
            try expectEqual(users.map(\.hasSecondFactor), [false, true], "second factors")
            try expectEqual(users.map(\.issuer), ["i", "drawbridge"], "issuers")
        },
        ConformanceCase("a name is taken once, whoever is first") { open in
            let servers = [try await open(), try await open()]
            let outcomes = try await concurrently(20) { number in
                try await servers[number % 2].add("alice", subject: "s\(number)")
            }
            try expectEqual(outcomes.count { $0 == .added }, 1, "added")
            try expectEqual(outcomes.count { $0 == .usernameTaken }, 19, "refused")
            try expectEqual(try await servers[0].events(.userCreated).count, 1, "events")
        },
        ConformanceCase("a subject has one account") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "s")
            try expectEqual(try await store.add("bob", subject: "s"), .subjectTaken, "second")
        },
        ConformanceCase("an upstream identity has one account, whoever is first") { open in
            let servers = [try await open(), try await open()]
            let identity = UpstreamIdentity(issuer: "https://up.example", subject: "7")
            let outcomes = try await concurrently(10) { number in
                try await servers[number % 2].add(nil, subject: "s\(number)", link: identity)
            }
            try expectEqual(outcomes.count { $0 == .added }, 1, "added")
            let linked = try await servers[0].account(linkedTo: identity)
            try expect(linked != nil && linked?.username == nil, "the account is found by its link")
            let other = UpstreamIdentity(issuer: "https://other.example", subject: "7")
            try expectEqual(try await servers[0].account(linkedTo: other), nil, "another issuer's 7")
        },
        ConformanceCase("a new password ends the user's sessions and nobody else's") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            for name in ["a1", "a2"] { _ = try await store.redeemSample(Sample.token(name)) }
            _ = try await store.redeemSample(Sample.token("b", subject: "bob"))
            let hash = try Sample.passwordHash()
            let ended = try await store.setPassword(
                hash, of: "alice", event: Sample.event(.userPasswordChanged),
                ending: .sample("password_changed", at: Sample.now + .seconds(1)))
            try expectEqual(Set(ended?.sessions ?? []), ["session-a1", "session-a2"], "ended")
            try expectEqual(try await store.session(id: "session-b")?.endedAt, nil, "bob's")
            try expectEqual(try await store.account(of: "alice")?.passwordHash, hash, "hash")
            try expectEqual(try await store.events(.userPasswordChanged).count, 1, "events")
            let unknown = try await store.setPassword(
                hash, of: "nobody", event: Sample.event(.userPasswordChanged), ending: .sample())
            try expectEqual(unknown, nil, "unknown")
        },
        ConformanceCase("of any number who replace the same password one does, and ends the sessions") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice", subject: "alice")
            _ = try await servers[0].redeemSample(Sample.token("a"))
            guard let seen = try await servers[0].account(of: "alice") else {
                throw ConformanceFailure(description: "no account")
            }
            let hash = try Sample.passwordHash()
            let outcomes = try await concurrently(10) { number in
                try await servers[number % 2].replacePassword(
                    hash, of: seen, in: nil, event: Sample.event(.userPasswordChanged),
                    ending: .sample("password_changed", at: Sample.now + .seconds(Int64(number) + 1)))
            }
            try expectEqual(outcomes.count { $0 != nil }, 1, "winners")
            try expectEqual(outcomes.compactMap(\.self).flatMap(\.sessions), ["session-a"], "ended")
            try expectEqual(try await servers[0].events(.userPasswordChanged).count, 1, "events")
            let unknown = try await servers[0].replacePassword(
                hash, of: Account(subject: "nobody", username: nil, createdAt: Sample.now), in: nil,
                event: Sample.event(.userPasswordChanged), ending: .sample())
            try expectEqual(unknown, nil, "unknown")
        },
        ConformanceCase("users are found by a part of id, name and address, and signs of patterns are themselves") {
            open in
            let store = try await open()
            try await store.recordFirstSight(of: "Guest-100%", issuer: "i", at: Sample.now)
            try await store.recordFirstSight(of: "guest-1000", issuer: "i", at: Sample.now)
            _ = try await store.addAccount(
                Account(
                    subject: "s1", username: try Sample.username("Ada_L"), displayName: "Ada Lovelace",
                    email: "Countess@Example.com", createdAt: Sample.now),
                issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
            func found(_ text: String) async throws -> [Subject] {
                try await store.users(matching: text, after: nil, limit: 10).map(\.subject)
            }
            for part in ["s1", "ada", "DA_L", "lovelace", "ess@exam"] {
                try expectEqual(try await found(part), ["s1"], part)
            }
            try expectEqual(try await found("100%"), ["Guest-100%"], "a sign of patterns")
            try expectEqual(try await found("a!l"), [], "the escape")
            try expectEqual(try await found("nobody"), [], "nobody")
            try expectEqual(try await found("\u{0}"), [], "what no text can hold")
            _ = try await store.add(nil, subject: "s2")
            _ = try await store.changeUser(
                "s2", UserChange(names: AccountNames(username: nil, displayName: "Émile", email: nil)),
                events: { type, _ in Sample.event(type) }, ending: .sample())
            for text in ["Émile", "éMIL"] { try expectEqual(try await found(text), ["s2"], text) }
            try expectEqual(Set(try await found("GUEST")), ["Guest-100%", "guest-1000"], "both")
            let first = try await store.users(matching: "guest", after: nil, limit: 1).map(\.subject)
            let second = try await store.users(matching: "guest", after: first.last, limit: 10).map(\.subject)
            try expectEqual(Set(first + second), ["Guest-100%", "guest-1000"], "page by page")
            try expectEqual(second.count, 1, "the second page")
        },
        ConformanceCase("users are listed by what is asked for, page by page, and who lacks it comes last") { open in
            let store = try await open()
            for (name, displayName, email, age) in [
                ("zoe", "Anna", nil, 3), ("bob", nil, "z@example.com", 1), ("Carl", "carl", "a@example.com", 2),
            ] as [(String, String?, String?, Int)] {
                _ = try await store.addAccount(
                    Account(
                        subject: Subject(rawValue: "s-\(name)"), username: try Sample.username(name),
                        displayName: displayName, email: email, createdAt: Sample.now + .seconds(-age)),
                    issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
            }
            try await store.recordFirstSight(of: "x", issuer: "an issuer", at: Sample.now)
            _ = try await store.setDisabled(
                true, subject: "s-zoe", event: Sample.event(.userDisabled), ending: .sample("user_disabled"))
            func pages(_ order: UserOrder, matching text: String = "") async throws -> [Subject] {
                var found: [UserOverview] = []
                while true {
                    let cursor = found.last.map { UserCursor(after: $0, by: order) }
                    let page = try await store.users(matching: text, by: order, after: cursor, limit: 1)
                    guard let next = page.first else { return found.map(\.subject) }
                    found.append(next)
                }
            }
            try expectEqual(try await pages(.name), ["s-zoe", "s-bob", "s-Carl", "x"], "shown name")
            try expectEqual(try await pages(.username), ["s-bob", "s-Carl", "s-zoe", "x"], "user name")
            try expectEqual(try await pages(.email), ["s-Carl", "s-bob", "s-zoe", "x"], "e-mail")
            try expectEqual(try await pages(.firstSeen), ["x", "s-bob", "s-Carl", "s-zoe"], "the newest first")
            try expectEqual(try await pages(.issuer).first, "x", "issuer")
            try expectEqual(try await pages(.state).first, "s-zoe", "disabled users first")
            try expectEqual(try await pages(.username, matching: "example.com"), ["s-bob", "s-Carl"], "a search")
            let first = try await store.users(matching: "", by: .username, after: nil, limit: 1)
            let place = first.first.map { UserCursor(after: $0, by: .username) }
            try expectEqual(
                try await store.users(matching: "", by: .username, after: place, limit: 2).map(\.subject),
                ["s-Carl", "s-zoe"], "two at once")
            // The last user of the page before has another name by now, or is gone.
            let names = AccountNames(username: try Sample.username("zz"), displayName: nil, email: nil)
            _ = try await store.changeUser(
                "s-bob", UserChange(names: names), events: { type, _ in Sample.event(type) }, ending: .sample())
            try expectEqual(
                try await store.users(matching: "", by: .username, after: place, limit: 9).map(\.subject),
                ["s-Carl", "s-zoe", "s-bob", "x"], "after a new name")
            let gone = UserOverview(
                SubjectRecord(subject: "gone", issuer: "a", firstSeenAt: Sample.now, disabledAt: nil))
            for order in UserOrder.allCases {
                let all = try await store.users(matching: "", by: order, after: nil, limit: 9)
                let later = try await store.users(
                    matching: "", by: order, after: UserCursor(after: gone, by: order), limit: 9)
                try expect(!later.isEmpty, "after one who is gone, by \(order)")
                try expectEqual(Array(all.suffix(later.count)), later, "the rest, by \(order)")
            }
        },
        ConformanceCase("a user is renamed, unless another has the name") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            _ = try await store.add("bob", subject: "bob")
            func rename(_ subject: Subject, _ name: String) async throws -> UserChangeOutcome {
                let names = AccountNames(
                    username: try Sample.username(name), displayName: "Somebody", email: "x@example.com")
                return try await store.changeUser(
                    subject, UserChange(names: names), events: { type, _ in Sample.event(type) }, ending: .sample())
            }
            try expectEqual(try await rename("alice", "BOB"), .usernameTaken, "taken")
            try expectEqual(try await store.account(of: "alice")?.displayName, "Zoë", "as it was")
            try expectEqual(try await rename("alice", "Alicia"), .changed(.nothing), "free")
            let account = try await store.account(named: try Sample.username("alicia"))
            try expectEqual(account?.subject, "alice", "by the new name")
            try expectEqual(account?.email, "x@example.com", "address")
            try expectEqual(try await store.account(named: try Sample.username("alice")), nil, "by the old name")
            try expectEqual(try await rename("nobody", "n"), .noAccount, "unknown")
            try expectEqual(try await store.events(.userRenamed).count, 1, "events")
        },
        ConformanceCase("of any number who take a name at once one gets it, and the others hear that it is taken") {
            open in
            let servers = [try await open(), try await open()]
            for number in 0..<10 { _ = try await servers[0].add("name-\(number)", subject: "s\(number)") }
            let outcomes = try await concurrently(10) { number in
                let names = AccountNames(username: try Sample.username("Wanted"), displayName: nil, email: nil)
                return try await servers[number % 2].changeUser(
                    Subject(rawValue: "s\(number)"), UserChange(names: names),
                    events: { type, _ in Sample.event(type) }, ending: .sample())
            }
            try expectEqual(outcomes.count { $0 == .changed(.nothing) }, 1, "winners")
            try expectEqual(outcomes.count { $0 == .usernameTaken }, 9, "losers")
        },
        ConformanceCase("a new address is one that nobody has checked, and the event says what was changed") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            let claims = try StandardClaims(["email_verified": .bool(true), "nickname": .string("Al")])
            _ = try await store.setClaims(
                claims, of: "alice", at: Sample.now, event: Sample.event(.userClaimsChanged))
            func rename(_ email: String) async throws -> [String: JSONValue] {
                let names = AccountNames(
                    username: try Sample.username("alice"), displayName: "Zoë", email: email)
                _ = try await store.changeUser(
                    "alice", UserChange(names: names),
                    events: { type, facts in
                        var event = Sample.event(type)
                        event.reason = facts["changed"]
                        return event
                    }, ending: .sample())
                return try await store.account(of: "alice")?.claims.values ?? [:]
            }
            let kept = try await store.account(of: "alice")?.email ?? ""
            try expectEqual(try await rename(kept)["email_verified"], .bool(true), "the same address")
            try expectEqual(try await rename("new@example.com")["email_verified"], nil, "another address")
            try expectEqual(try await store.account(of: "alice")?.claims.values["nickname"], .string("Al"), "the rest")
            try expectEqual(
                try await store.events(.userRenamed).map(\.reason).sorted { ($0 ?? "") < ($1 ?? "") },
                ["", "email"], "what was changed")
        },
        ConformanceCase("a session that is over changes no password and sets up no second factor") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            _ = try await store.redeemSample(Sample.token("a"))
            _ = try await store.end(.webSession("session-a"), .sample(), first: [])
            guard let account = try await store.account(of: "alice") else {
                throw ConformanceFailure(description: "no account")
            }
            let ended = try await store.replacePassword(
                try Sample.passwordHash(), of: account, in: "session-a", event: Sample.event(.userPasswordChanged),
                ending: .sample())
            try expectEqual(ended, nil, "the password")
            let isAdded = try await store.addSecondFactor(
                SecondFactor(sealedSecret: "sealed"), recoveryDigests: [], of: "alice", in: "session-a",
                event: Sample.event(.userSecondFactorChanged))
            try expect(!isAdded, "the second factor")
            let after = try await store.account(of: "alice")
            try expectEqual(after?.passwordHash, account.passwordHash, "as it was")
            try expectEqual(after?.secondFactor, nil, "none")
            try expectEqual(try await store.events(.userPasswordChanged).count, 0, "events")
        },
        ConformanceCase("the upstream identities of a user are listed") { open in
            let store = try await open()
            let identity = UpstreamIdentity(issuer: "https://up.example", subject: "7")
            _ = try await store.add(nil, subject: "s", link: identity)
            try expectEqual(try await store.identities(of: "s"), [identity], "of its user")
            try expectEqual(try await store.identities(of: "nobody"), [], "of nobody")
        },
        ConformanceCase("a session for a password that was replaced meanwhile is not opened") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            try await store.setPassword(of: "alice", at: Sample.now + .seconds(1))
            let event = Sample.event(.userSignedIn)
            let late = try await store.open(
                Sample.session("late"), replacing: nil, provenBy: .password(setAt: Sample.now), events: [event])
            try expectEqual(late, false, "for the one before")
            try expectEqual(try await store.session(id: "session-late"), nil, "its session")
            try expectEqual(try await store.events(.userSignedIn).count, 0, "events")
            let opened = try await open().open(
                Sample.session("new"), replacing: nil, provenBy: .password(setAt: Sample.now + .seconds(1)),
                events: [event])
            try expectEqual(opened, true, "for the new one")
            let nobodys = try await store.open(
                Sample.session("nobody", subject: "nobody"), replacing: nil, provenBy: .password(setAt: Sample.now),
                events: [])
            try expectEqual(nobodys, false, "without an account")
        },
        ConformanceCase("of sign-ins on two servers none outlasts a new password of the same moment") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice", subject: "alice")
            async let change: Void = servers[0].setPassword(of: "alice", at: Sample.now + .seconds(1))
            _ = try await concurrently(20) { number in
                try await servers[number % 2].open(
                    Sample.session("\(number)"), replacing: nil, provenBy: .password(setAt: Sample.now), events: [])
            }
            try await change
            for number in 0..<20 {
                guard let session = try await servers[0].session(id: SessionID(rawValue: "session-\(number)")) else {
                    continue
                }
                try expect(session.endedAt != nil, "session \(number) has ended")
            }
        },
        ConformanceCase("whether there is any account is known") { open in
            let store = try await open()
            try await store.recordFirstSight(of: "guest", issuer: "i", at: Sample.now)
            try expectEqual(try await store.hasAccounts(), false, "before")
            _ = try await store.add("alice")
            try expectEqual(try await open().hasAccounts(), true, "after")
        },
        ConformanceCase("several changes of a user are made together, each with its event and facts") { open in
            let store = try await open()
            try await store.addAdministrator("root")
            _ = try await store.add("alice", subject: "alice")
            _ = try await store.redeemSample(Sample.token("a"))
            let hash = try Sample.passwordHash("another")
            let claims = try StandardClaims(["given_name": .string("Zoë")])
            let outcome = try await store.changeUser(
                "alice", UserChange(passwordHash: hash, claims: claims, role: .take, isDisabled: false),
                events: { AuditEvent(at: Sample.now, type: $0, outcome: .success, detail: $1["role"]) },
                ending: .sample("password_changed"))
            try expectEqual(outcome, .changed(Ended(sessions: ["session-a"])), "outcome")
            let found = try await store.account(of: "alice")
            try expectEqual(found?.passwordHash, hash, "password")
            try expectEqual(found?.claims, claims, "claims")
            try expectEqual(found?.role, nil, "role")
            for type in [AuditEventType.userPasswordChanged, .userClaimsChanged, .webSessionEnded] {
                try expectEqual(try await store.events(type).count, 1, "\(type.rawValue)")
            }
            try expectEqual(try await store.events(.userRoleChanged).map(\.detail), ["none"], "facts")
            try expectEqual(try await store.events(.userEnabled).count, 0, "what was so already")
            let again = try await store.change("alice", UserChange(role: .take, isDisabled: false))
            try expectEqual(again, .unchanged, "again")
        },
        ConformanceCase("of several changes of which one is refused none is made") { open in
            let store = try await open()
            try await store.addAdministrator("root")
            try await store.recordFirstSight(of: "guest", issuer: "i", at: Sample.now)
            _ = try await store.redeemSample(Sample.token("g", subject: "guest"))
            let hash = try Sample.passwordHash("another")
            let last = try await store.change(
                "root", UserChange(passwordHash: hash, claims: StandardClaims.none, isDisabled: true))
            try expectEqual(last, .lastAdministrator, "the last administrator")
            let guest = try await store.change("guest", UserChange(passwordHash: hash, isDisabled: true))
            try expectEqual(guest, .noAccount, "no account")
            try expectEqual(try await store.account(of: "root")?.passwordHash, nil, "password")
            try expectEqual(try await store.standing(of: "guest"), .active, "standing")
            try expectEqual(try await store.session(id: "session-g")?.endedAt, nil, "session")
            for type in [AuditEventType.userPasswordChanged, .userClaimsChanged, .userDisabled, .webSessionEnded] {
                try expectEqual(try await store.events(type).count, 0, "\(type.rawValue)")
            }
        },
        ConformanceCase("claims of an account are replaced together, and say since when") { open in
            let store = try await open()
            _ = try await store.add("alice")
            let claims = try StandardClaims([
                "given_name": .string("Zoë"), "address": .object(["country": .string("FR")]),
                "email_verified": .bool(true),
            ])
            let event = Sample.event(.userClaimsChanged)
            let later = Sample.now + .seconds(5)
            try expectEqual(try await store.setClaims(claims, of: "sub-alice", at: later, event: event), true, "set")
            try expectEqual(try await store.account(of: "sub-alice")?.claims, claims, "kept")
            try expectEqual(try await store.account(of: "sub-alice")?.claimsChangedAt, later, "time")
            try expectEqual(try await store.setClaims(.none, of: "sub-alice", at: later, event: event), true, "cleared")
            try expectEqual(try await store.account(of: "sub-alice")?.claims, StandardClaims.none, "none left")
            try expectEqual(try await store.setClaims(claims, of: "nobody", at: later, event: event), false, "unknown")
            try expectEqual(try await store.events(.userClaimsChanged).count, 2, "events")
        },
        ConformanceCase("a rehash does not undo a change that came first") { open in
            let store = try await open()
            _ = try await store.add("alice")
            let old = try Sample.account("alice").passwordHash ?? Sample.passwordHash()
            let changed = try Sample.passwordHash("another")
            _ = try await store.setPassword(
                changed, of: "sub-alice", event: Sample.event(.userPasswordChanged), ending: .sample())
            try await store.rehashPassword(from: old, to: try Sample.passwordHash("late"), of: "sub-alice")
            try expectEqual(try await store.account(of: "sub-alice")?.passwordHash, changed, "hash")
            try await store.rehashPassword(from: changed, to: old, of: "sub-alice")
            try expectEqual(try await store.account(of: "sub-alice")?.passwordHash, old, "rehashed")
        },
        ConformanceCase("a time step is claimed by one of many, and none before it afterwards") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            _ = try await servers[0].setFactor("sub-alice", ["d1"])
            let claims = try await concurrently(20) { number in
                try await servers[number % 2].claimStep(100, of: "sub-alice")
            }
            try expectEqual(claims.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].claimStep(99, of: "sub-alice"), false, "an older step")
            try expectEqual(try await servers[0].claimStep(101, of: "sub-alice"), true, "the next step")
        },
        ConformanceCase("no time step of before the database was put back is claimed, nor the one after it") { open in
            let store = try await open()
            _ = try await store.add("alice")
            _ = try await store.setFactor("sub-alice", ["d1"])
            _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, said: nil)
            let step = OneTimeCode.step(at: Sample.now)
            for (step, isClaimed) in [(step - 1, false), (step, false), (step + 1, false), (step + 2, true)] {
                try expectEqual(try await store.claimStep(step, of: "sub-alice"), isClaimed, "step \(step)")
            }
        },
        ConformanceCase("a second factor is added where there is none, by one of many") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            let added = try await concurrently(10) { number in
                try await servers[number % 2].addFactor("sealed-\(number)", to: "sub-alice", ["d\(number)"])
            }
            try expectEqual(added.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].events(.userSecondFactorChanged).count, 1, "events")
            try expectEqual(try await servers[1].unusedRecoveryCodes(of: "sub-alice"), 1, "the winner's codes")
            let winner = added.firstIndex(of: true).map { "sealed-\($0)" }
            let factor = try await servers[0].account(of: "sub-alice")?.secondFactor
            try expectEqual(factor?.sealedSecret, winner, "the winner's secret")
            try expectEqual(try await servers[0].addFactor("x", to: "nobody", []), false, "unknown")
        },
        ConformanceCase("a second factor goes once, with its recovery codes") { open in
            let store = try await open()
            _ = try await store.add("alice")
            _ = try await store.addFactor("sealed", to: "sub-alice", ["d1", "d2"])
            try expectEqual(try await store.removeFactor("sub-alice"), true, "removed")
            try expectEqual(try await store.account(of: "sub-alice")?.secondFactor, nil, "factor")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 0, "codes")
            try expectEqual(try await store.removeFactor("sub-alice"), false, "again")
            try expectEqual(try await store.events(.userSecondFactorChanged).count, 2, "events")
        },
        ConformanceCase("recovery codes are replaced where there is a second factor") { open in
            let store = try await open()
            _ = try await store.add("alice")
            try expectEqual(try await store.replaceCodes(["n1"], of: "sub-alice"), false, "without a factor")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 0, "none came")
            _ = try await store.addFactor("sealed", to: "sub-alice", ["d1", "d2"])
            _ = try await store.claimRecoveryCode(digest: "d1", of: "sub-alice", at: Sample.now)
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 1, "one is used")
            try expectEqual(try await store.replaceCodes(["n1", "n2", "n3"], of: "sub-alice"), true, "replaced")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 3, "new ones")
            try expectEqual(
                try await store.claimRecoveryCode(digest: "d2", of: "sub-alice", at: Sample.now), false, "old")
        },
        ConformanceCase("a recovery code is claimed by one of many, and goes with the factor") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            _ = try await servers[0].setFactor("sub-alice", ["d1", "d2"])
            let claims = try await concurrently(20) { number in
                try await servers[number % 2].claimRecoveryCode(digest: "d1", of: "sub-alice", at: Sample.now)
            }
            try expectEqual(claims.count { $0 }, 1, "winners")
            try expectEqual(
                try await servers[0].claimRecoveryCode(digest: "d2", of: "sub-bob", at: Sample.now), false, "bob")
            _ = try await servers[0].setFactor("sub-alice", ["d3"])
            try expectEqual(
                try await servers[0].claimRecoveryCode(digest: "d2", of: "sub-alice", at: Sample.now), false, "old")
            try expectEqual(
                try await servers[0].claimRecoveryCode(digest: "d3", of: "sub-alice", at: Sample.now), true, "new")
        },
    ]
}

extension UserStore {
    func change(_ subject: Subject, _ change: UserChange) async throws -> UserChangeOutcome {
        try await changeUser(
            subject, change, events: { type, _ in Sample.event(type) }, ending: .sample("user_changed"))
    }

    fileprivate func add(
        _ name: String?, subject: String? = nil, link: UpstreamIdentity? = nil
    ) async throws -> AccountAdding {
        let account = try Sample.account(name, subject: subject)
        return try await addAccount(
            account, issuer: Account.issuer, link: link, event: Sample.event(.userCreated))
    }

    fileprivate func addFactor(_ sealed: String, to subject: Subject, _ digests: [String]) async throws -> Bool {
        try await addSecondFactor(
            SecondFactor(sealedSecret: sealed, lastStep: 7), recoveryDigests: digests, of: subject,
            in: nil, event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func removeFactor(_ subject: Subject) async throws -> Bool {
        try await removeSecondFactor(of: subject, event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func replaceCodes(_ digests: [String], of subject: Subject) async throws -> Bool {
        try await replaceRecoveryCodes(digests, of: subject, event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func setPassword(of subject: Subject, at now: Timestamp) async throws {
        _ = try await setPassword(
            try Sample.passwordHash("another"), of: subject, event: Sample.event(.userPasswordChanged),
            ending: .sample("password_changed", at: now))
    }

    fileprivate func setFactor(_ subject: Subject, _ digests: [String]) async throws -> Bool {
        try await setSecondFactor(
            SecondFactor(sealedSecret: "sealed"), recoveryDigests: digests, of: subject, at: Sample.now,
            event: Sample.event(.userSecondFactorChanged))
    }
}

extension Sample {
    static func username(_ text: String) throws -> Username {
        guard let username = Username(text) else { throw ConformanceFailure(description: "\(text) is no user name") }
        return username
    }

    static func passwordHash(_ salt: String = "") throws -> PasswordHash {
        let characters = salt + "AAAAAAAAAAAAAAAAAAAAAA".dropFirst(salt.count)
        let text = "$scrypt$ln=14,r=8,p=1$\(characters.prefix(21))A$" + String(repeating: "A", count: 43)
        guard let hash = PasswordHash(text) else { throw ConformanceFailure(description: "\(text) is no hash") }
        return hash
    }

    static func account(_ name: String?, subject: String? = nil) throws -> Account {
        Account(
            subject: Subject(rawValue: subject ?? "sub-\(name ?? "")"), username: try name.map(username),
            displayName: "Zoë", email: "a@example.com", passwordHash: try passwordHash(), role: .admin, createdAt: now)
    }
}
