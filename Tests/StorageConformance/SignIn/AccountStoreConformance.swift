package import Bridge
import OAuth2

/// What every ``AccountStore`` must do.
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

extension AccountStore {
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
            event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func removeFactor(_ subject: Subject) async throws -> Bool {
        try await removeSecondFactor(of: subject, event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func replaceCodes(_ digests: [String], of subject: Subject) async throws -> Bool {
        try await replaceRecoveryCodes(digests, of: subject, event: Sample.event(.userSecondFactorChanged))
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
