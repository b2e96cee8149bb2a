package import Bridge
import OAuth2

/// What every ``UserStore`` must do about accounts, their names and passwords.
package enum AccountStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        storeCases + AccountChangeCases.cases + WaitingProofCases.cases

    private static let storeCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("an account is found by any spelling of its name, and by its subject") { open in
            let store = try await open()
            try expectEqual(try await store.add("Alice"), .added, "adding")
            let found = try await open().account(named: try Sample.username("aLICE"))
            try expectEqual(found, try Sample.account("Alice"), "by name")
            try expectEqual(try await store.account(of: "sub-Alice"), found, "by subject")
            try expectEqual(try await store.account(of: "nobody"), nil, "unknown")
            try expectEqual(try await store.standing(of: "sub-Alice"), .active, "standing")
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
            let outcome = try await store.change(
                "alice", UserChange(passwordHash: hash),
                ending: .sample(.passwordChanged, at: Sample.now + .seconds(1)))
            guard case .changed(let ended) = outcome else {
                throw ConformanceFailure(description: "the password is changed")
            }
            try expectEqual(Set(ended.sessions), ["session-a1", "session-a2"], "ended")
            try expectEqual(try await store.session(id: "session-b")?.endedAt, nil, "bob's")
            try expectEqual(try await store.account(of: "alice")?.passwordHash, hash, "hash")
            try expectEqual(try await store.events(.userPasswordChanged).count, 1, "events")
            let unknown = try await store.change("nobody", UserChange(passwordHash: hash))
            try expectEqual(unknown, .noAccount, "unknown")
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
                    hash, of: seen, by: .link(madeAfter: Sample.now), event: Sample.event(.userPasswordChanged),
                    ending: .sample(.passwordChanged, at: Sample.now + .seconds(Int64(number) + 1)))
            }
            try expectEqual(outcomes.count { $0 != nil }, 1, "winners")
            try expectEqual(outcomes.compactMap(\.self).flatMap(\.ended.sessions), ["session-a"], "ended")
            try expectEqual(try await servers[0].events(.userPasswordChanged).count, 1, "events")
            let unknown = try await servers[0].replacePassword(
                hash, of: Account(subject: "nobody", username: nil, createdAt: Sample.now),
                by: .link(madeAfter: Sample.now), event: Sample.event(.userPasswordChanged), ending: .sample())
            try expectEqual(unknown, nil, "unknown")
        },
        ConformanceCase("a link from before the database was restored sets no password, its use may be forgotten") {
            open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            guard let seen = try await store.account(of: "alice") else {
                throw ConformanceFailure(description: "no account")
            }
            _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, reason: nil)
            let hash = try Sample.passwordHash("another")
            let later = Sample.now + .milliseconds(1)
            func replace(_ start: Timestamp) async throws -> ReplacedPassword? {
                try await store.replacePassword(
                    hash, of: seen, by: .link(madeAfter: start), event: Sample.event(.userPasswordChanged),
                    ending: .sample(.passwordChanged, at: later))
            }
            let found = try await store.account(of: "alice", linkMadeAfter: Sample.now)
            try expectEqual(found, nil, "found by the old one")
            try expectEqual(try await replace(Sample.now), nil, "set by the old one")
            try expectEqual(try await store.account(of: "alice"), seen, "as it was")
            try expectEqual(try await store.account(of: "alice", linkMadeAfter: later), seen, "found by a new one")
            try expect(try await replace(later) != nil, "set by a new one")
            try expectEqual(try await store.account(of: "alice")?.passwordHash, hash, "hash")
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
            try await store.change("alice", UserChange(claims: claims))
            func rename(_ email: String) async throws -> [String: JSONValue] {
                let names = AccountNames(
                    username: try Sample.username("alice"), displayName: "Zoë", email: email)
                _ = try await store.changeUser(
                    "alice", UserChange(names: names),
                    events: { type, facts in
                        var event = Sample.event(type)
                        event.reason = facts.members["changed"]
                        return event
                    }, ending: .sample())
                return try await store.account(of: "alice")?.claims.values ?? [:]
            }
            let kept = try await store.account(of: "alice")?.email ?? ""
            try expectEqual(try await rename(kept)["email_verified"], .bool(true), "the same address")
            try expectEqual(try await rename("new@example.com")["email_verified"], nil, "another address")
            try expectEqual(try await store.account(of: "alice")?.claims.values["nickname"], .string("Al"), "the rest")
            try expectEqual(try await store.events(.userRenamed).map(\.reason), ["email"], "what was changed")
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
                try Sample.passwordHash(), of: account, by: .session("session-a"),
                event: Sample.event(.userPasswordChanged), ending: .sample())
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
        ConformanceCase("that an administrator signs in is recorded with the session, and of nobody else") { open in
            let store = try await open()
            try await store.addAdministrator("root")
            let plain = Account(subject: "alice", username: Username("alice"), createdAt: Sample.now)
            _ = try await store.addAccount(
                plain, issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
            for subject in ["root", "alice", "guest"] as [Subject] {
                let event = AuditEvent(at: Sample.now, type: .adminSignedIn, outcome: .success, subject: subject)
                let isOpened = try await store.open(
                    Sample.session(subject.rawValue, subject: subject), replacing: nil, provenBy: nil,
                    events: [Sample.event(.userSignedIn)], ofAdministrator: event)
                try expect(isOpened, "the session of \(subject.rawValue)")
            }
            try expectEqual(try await store.events(.adminSignedIn).map(\.subject), ["root"], "of the administrator")
            try expectEqual(try await store.events(.userSignedIn).count, 3, "of everybody")
            let stale = try await store.open(
                Sample.session("stale", subject: "root"), replacing: nil,
                provenBy: .password(setAt: Sample.now - .seconds(1)), events: [],
                ofAdministrator: Sample.event(.adminSignedIn))
            try expectEqual(stale, false, "with a password that is another by now")
            try expectEqual(try await store.events(.adminSignedIn).count, 1, "of a session that was not opened")
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
            try await store.addUser("guest", at: Sample.now)
            try expectEqual(try await store.hasAccounts(), false, "before")
            _ = try await store.add("alice")
            try expectEqual(try await open().hasAccounts(), true, "after")
        },
        ConformanceCase("several changes of a user are made together, each with its event and facts") { open in
            let store = try await open()
            // Another who can sign in, so that the role can be taken.
            _ = try await store.add("root")
            _ = try await store.add("alice", subject: "alice")
            _ = try await store.redeemSample(Sample.token("a"))
            let hash = try Sample.passwordHash("another")
            let claims = try StandardClaims(["given_name": .string("Zoë")])
            let outcome = try await store.changeUser(
                "alice", UserChange(passwordHash: hash, claims: claims, role: .take, isDisabled: false),
                events: { AuditEvent(at: Sample.now, type: $0, outcome: .success, detail: $1.members["role"]) },
                ending: .sample(.passwordChanged))
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
            try await store.addUser("guest", at: Sample.now)
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
            let later = Sample.now + .seconds(5)
            func keep(_ claims: StandardClaims, of subject: Subject) async throws -> UserChangeOutcome {
                try await store.change(subject, UserChange(claims: claims), ending: .sample(at: later))
            }
            try expectEqual(try await keep(claims, of: "sub-alice"), .changed(.nothing), "set")
            try expectEqual(try await store.account(of: "sub-alice")?.claims, claims, "kept")
            try expectEqual(try await store.account(of: "sub-alice")?.claimsChangedAt, later, "time")
            let again = try await store.change(
                "sub-alice", UserChange(claims: claims), ending: .sample(at: later + .seconds(5)))
            try expectEqual(again, .unchanged, "the same again")
            try expectEqual(try await store.account(of: "sub-alice")?.claimsChangedAt, later, "time, as it was")
            try expectEqual(try await keep(.none, of: "sub-alice"), .changed(.nothing), "cleared")
            try expectEqual(try await store.account(of: "sub-alice")?.claims, StandardClaims.none, "none left")
            try expectEqual(try await keep(.none, of: "sub-alice"), .unchanged, "cleared again")
            try expectEqual(try await keep(claims, of: "nobody"), .noAccount, "unknown")
            try expectEqual(try await store.events(.userClaimsChanged).count, 2, "events")
        },
        ConformanceCase("a rehash does not undo a change that came first") { open in
            let store = try await open()
            _ = try await store.add("alice")
            let old = try Sample.account("alice").passwordHash ?? Sample.passwordHash()
            let changed = try Sample.passwordHash("another")
            try await store.change("sub-alice", UserChange(passwordHash: changed))
            try await store.rehashPassword(from: old, to: try Sample.passwordHash("late"), of: "sub-alice")
            try expectEqual(try await store.account(of: "sub-alice")?.passwordHash, changed, "hash")
            try await store.rehashPassword(from: changed, to: old, of: "sub-alice")
            try expectEqual(try await store.account(of: "sub-alice")?.passwordHash, old, "rehashed")
        },
    ]
}

extension UserStore {
    func add(
        _ name: String?, subject: String? = nil, link: UpstreamIdentity? = nil
    ) async throws -> AccountAdding {
        let account = try Sample.account(name, subject: subject)
        return try await addAccount(
            account, issuer: Account.issuer, link: link, event: Sample.event(.userCreated))
    }

    fileprivate func setPassword(of subject: Subject, at now: Timestamp) async throws {
        try await change(
            subject, UserChange(passwordHash: try Sample.passwordHash("another")),
            ending: .sample(.passwordChanged, at: now))
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
