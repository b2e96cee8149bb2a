package import Bridge
import OAuth2

/// What every ``PasskeyStore`` must do, and what a passkey's use means for the session that it opens.
package enum PasskeyStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        adding, owners, lastOne, overSession, uses, raisingOver, counters, replays, restored, restoredPasskeys,
        successor, openings, removal, purge,
    ]

    private static let adding = ConformanceCase<any BridgeStorage>("a passkey is found as it was added") { open in
        let store = try await open()
        try await store.addSample("alice")
        let passkey = key("p1", of: "alice", count: 4_294_967_295)
        try expectEqual(try await store.addSample(passkey, for: "c1"), .added, "the first")
        try expectEqual(try await open().passkey("p1"), passkey, "found")
        try expectEqual(
            try await store.addSample(key("p2", of: "alice", after: 1), for: "c2"), .added, "the second")
        try expectEqual(try await store.passkeys(of: "alice").map(\.mark), ["p1", "p2"], "in order")
        try expectEqual(try await store.passkeys(of: "bob"), [], "of nobody else")
        try expectEqual(try await store.passkey("p3"), nil, "one that is nobody's")
        try expectEqual(try await store.events(.userPasskeyAdded).count, 2, "events")
    }

    private static let successor = ConformanceCase<any BridgeStorage>(
        "an administrator who has a passkey alone may be the last one"
    ) { open in
        let store = try await open()
        _ = try await store.add("root", subject: "root")
        try await store.addSample("alice")
        for name: Subject in ["root", "alice"] { _ = try await store.change(name, UserChange(role: .give(.admin))) }
        let without = try await store.change("root", UserChange(role: .take))
        try expectEqual(without, .lastAdministrator, "without it")
        try expectEqual(try await store.addSample(key("p", of: "alice"), for: "c"), .added, "the passkey")
        let with = try await store.change("root", UserChange(role: .take))
        try expectEqual(with, .changed(.nothing), "with it")
    }

    private static let owners = ConformanceCase<any BridgeStorage>(
        "of users who add one passkey at once on two servers one has it"
    ) { open in
        let servers = [try await open(), try await open()]
        for number in 0..<10 { try await servers[0].addSample(Subject(rawValue: "user-\(number)")) }
        let outcomes = try await concurrently(10) { number in
            try await servers[number % 2].addSample(
                key("p", of: Subject(rawValue: "user-\(number)"), handle: "h\(number)"), for: "c\(number)")
        }
        try expectEqual(outcomes.count { $0 == .added }, 1, "added")
        try expectEqual(outcomes.count { $0 == .taken }, 9, "taken")
        let winner = Subject(rawValue: "user-\(outcomes.firstIndex(of: .added) ?? -1)")
        try expectEqual(try await servers[1].passkey("p")?.subject, winner, "whose")
        // What was not added used nothing up.
        try expectEqual(try await servers[0].events(.userPasskeyAdded).count, 1, "events")
        let loser = outcomes.firstIndex(of: .taken) ?? -1
        try expect(try await !servers[0].hasUsed(challenge("c\(loser)")), "a loser's challenge")
    }

    private static let lastOne = ConformanceCase<any BridgeStorage>(
        "pages at once on two servers add no passkey beyond the limit, and all for one handle"
    ) { open in
        let servers = [try await open(), try await open()]
        try await servers[0].addSample("alice")
        for number in 1..<Passkey.limit {
            try expectEqual(
                try await servers[0].addSample(key("p\(number)", of: "alice"), for: "c\(number)"), .added, "\(number)")
        }
        try expectEqual(
            try await servers[0].addSample(key("other", of: "alice", handle: "another"), for: "o"), .anotherHandle,
            "another handle")
        let outcomes = try await concurrently(4) { number in
            try await servers[number % 2].addSample(key("last\(number)", of: "alice"), for: "l\(number)")
        }
        try expectEqual(outcomes.count { $0 == .added }, 1, "added")
        try expectEqual(outcomes.count { $0 == .tooMany }, 3, "refused")
        try expectEqual(try await servers[1].passkeys(of: "alice").count, Passkey.limit, "passkeys")
    }

    private static let overSession = ConformanceCase<any BridgeStorage>(
        "neither a session that is over nor a disabled user adds a passkey"
    ) { open in
        let store = try await open()
        try await store.addSample("alice")
        try expectEqual(
            try await store.add(key("p", of: "alice"), for: challenge("c"), in: "unknown", event: added),
            .sessionEnded, "no session")
        try expectEqual(try await store.addSample(key("p", of: "nobody"), for: "c"), .sessionEnded, "no account")
        _ = try await store.end(.webSession("own-alice"), .sample(), first: [])
        try expectEqual(try await store.addSample(key("p", of: "alice"), for: "c"), .sessionEnded, "an ended one")
        try await store.addSample("bob")
        try await store.change("bob", UserChange(isDisabled: true))
        try expectEqual(try await store.addSample(key("p", of: "bob"), for: "c"), .sessionEnded, "a disabled user")
        try expectEqual(try await store.passkey("p"), nil, "the passkey")
        try expect(try await !store.hasUsed(challenge("c")), "its challenge")
    }

    private static let uses = ConformanceCase<any BridgeStorage>("a passkey opens a session of its user alone") {
        open in
        let store = try await open()
        for name in ["alice", "bob"] { try await store.addSample(Subject(rawValue: name)) }
        _ = try await store.addSample(key("p1", of: "alice"), for: "c")
        let later = Sample.now + .seconds(9)
        try expect(try await !store.openSample("s1", with: "p1", of: "bob", for: "u1", at: later), "another's")
        try expect(try await !store.openSample("s2", with: "p2", of: "alice", for: "u2", at: later), "nobody's")
        try expectEqual(try await store.session(id: "session-s1"), nil, "no session")
        try expect(try await !store.hasUsed(challenge("u1")), "what opened nothing used nothing up")
        try expectEqual(try await store.passkey("p1")?.lastUsedAt, nil, "nor was it used")
        try expect(try await store.openSample("s3", with: "p1", of: "alice", for: "u3", at: later), "its user's")
        try expectEqual(try await store.passkey("p1")?.lastUsedAt, later, "last use")
        try expectEqual(try await store.session(id: "session-s3")?.subject, "alice", "the session")
        try await store.change("alice", UserChange(isDisabled: true))
        try expect(try await !store.openSample("s4", with: "p1", of: "alice", for: "u4", at: later), "disabled")
        try expect(try await !store.hasUsed(challenge("u4")), "nothing used up")
    }

    private static let raisingOver = ConformanceCase<any BridgeStorage>(
        "a passkey that would raise a session that is over is not used"
    ) { open in
        let store = try await open()
        try await store.addSample("alice")
        _ = try await store.addSample(key("p", of: "alice"), for: "c")
        _ = try await store.end(.webSession("own-alice"), .sample(), first: [])
        let over = ReplacedSession.sample(
            .passkeySample("own-alice", of: "alice", at: Sample.now), isRaised: true)
        let later = Sample.now + .seconds(9)
        try expect(
            try await !store.openSample("s1", with: "p", of: "alice", for: "u", replacing: over, at: later), "opened")
        try expect(try await !store.hasUsed(challenge("u")), "its challenge")
        try expectEqual(try await store.passkey("p")?.lastUsedAt, nil, "last use")
        try expect(try await store.openSample("s2", with: "p", of: "alice", for: "u", at: later), "the next page's")
    }

    private static let counters = ConformanceCase<any BridgeStorage>("a passkey that counts must count on") { open in
        let store = try await open()
        try await store.addSample("alice")
        _ = try await store.addSample(key("p", of: "alice"), for: "c")
        var number = 0
        func use(_ count: Int64) async throws -> Bool {
            number += 1
            return try await store.openSample(
                "s\(number)", with: "p", of: "alice", for: "u\(number)", count: count, at: Sample.now)
        }
        for (count, isGood) in [
            (0, true), (0, true), (5, true), (5, false), (4, false), (0, false), (4_294_967_295, true),
        ] as [(Int64, Bool)] {
            try expectEqual(try await use(count), isGood, "use \(number), count \(count)")
        }
        try expectEqual(try await store.passkey("p")?.signCount, 4_294_967_295, "count")
    }

    private static let replays = ConformanceCase<any BridgeStorage>(
        "of one answer sent to two servers at once one opens a session"
    ) { open in
        let servers = [try await open(), try await open()]
        try await servers[0].addSample("alice")
        _ = try await servers[0].addSample(key("p", of: "alice"), for: "c")
        let opened = try await concurrently(20) { number in
            try await servers[number % 2].openSample(
                "\(number)", with: "p", of: "alice", for: "u", at: Sample.now)
        }
        try expectEqual(opened.count { $0 }, 1, "opened")
        try expect(try await servers[1].hasUsed(challenge("u")), "used up")
        try expectEqual(
            try await servers[0].addSample(key("p2", of: "alice"), for: "u"), .challengeUsed, "for a new passkey")
    }

    private static let restored = ConformanceCase<any BridgeStorage>(
        "an answer to a challenge from before the database was restored counts no more, it may have counted"
    ) { open in
        let store = try await open()
        try await store.addSample("alice")
        _ = try await store.addSample(key("p", of: "alice"), for: "c")
        _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, reason: nil)
        try expect(try await !store.openSample("s1", with: "p", of: "alice", for: "u", at: Sample.now), "a session")
        try expectEqual(try await store.addSample(key("p2", of: "alice"), for: "c2"), .challengeUsed, "a passkey")
        try expect(try await store.hasUsed(challenge("u")), "as one that was used")
        let new = challenge("c3", madeAfter: Sample.now + .milliseconds(1))
        try expect(try await !store.hasUsed(new), "one of since")
        try expectEqual(
            try await store.add(key("p3", of: "alice"), for: new, in: "own-alice", event: added), .added, "its answer")
    }

    private static let restoredPasskeys = ConformanceCase<any BridgeStorage>(
        "a restore that ends sessions takes the passkeys of before, which may have been removed since"
    ) { open in
        let store = try await open()
        try await store.addSample("alice")
        _ = try await store.addSample(key("old", of: "alice"), for: "c1")
        _ = try await store.addSample(key("young", of: "alice", after: 1), for: "c2")
        _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, reason: nil)
        try expectEqual(try await store.passkeys(of: "alice").map(\.mark), ["old", "young"], "kept with the sessions")
        let report = try await store.recordRestore(
            by: .login("root"), at: Sample.now, keepsSessions: false, reason: nil)
        try expectEqual(report.ended.first { $0.name == "passkeys" }?.count, 1, "told")
        try expectEqual(try await store.passkeys(of: "alice").map(\.mark), ["young"], "what is left")
    }

    private static let openings = ConformanceCase<any BridgeStorage>(
        "no passkey signs anybody in once its removal was answered"
    ) { open in
        let servers = [try await open(), try await open()]
        try await servers[0].addSample("alice")
        _ = try await servers[0].addSample(key("p", of: "alice"), for: "c")
        async let removing = servers[0].removePasskey("p", of: "alice", event: Sample.event(.userPasskeyRemoved))
        _ = try await concurrently(10) { number in
            try await servers[number % 2].openSample(
                "\(number)", with: "p", of: "alice", for: "u\(number)", at: Sample.now)
        }
        try expect(try await removing, "removed")
        try expect(
            try await !servers[1].openSample("late", with: "p", of: "alice", for: "late", at: Sample.now), "afterwards")
    }

    private static let removal = ConformanceCase<any BridgeStorage>(
        "a passkey is removed by its user alone, once, and may be added again"
    ) { open in
        let store = try await open()
        for name in ["alice", "bob"] { try await store.addSample(Subject(rawValue: name)) }
        _ = try await store.addSample(key("p", of: "alice"), for: "c1")
        _ = try await store.openSample("s", with: "p", of: "alice", for: "u", at: Sample.now)
        let event = Sample.event(.userPasskeyRemoved)
        try expect(try await !store.removePasskey("p", of: "bob", event: event), "by another")
        try expect(try await store.removePasskey("p", of: "alice", event: event), "by its user")
        try expect(try await !store.removePasskey("p", of: "alice", event: event), "once more")
        try expectEqual(try await store.session(id: "session-s")?.endedAt, nil, "what it opened goes on")
        try expectEqual(try await store.events(.userPasskeyRemoved).count, 1, "events")
        try expectEqual(try await store.addSample(key("p", of: "bob", handle: "h2"), for: "c2"), .added, "again")
    }

    private static let purge = ConformanceCase<any BridgeStorage>("challenges that opened something are purged") {
        open in
        let store = try await open()
        try await store.addSample("alice")
        for second in 1...3 {
            _ = try await store.addSample(
                key("p\(second)", of: "alice"), for: "c\(second)", endingAfter: .seconds(second))
        }
        let cutoff = Sample.now + .seconds(3)
        try expectEqual(try await store.purgeChallenges(expiredBefore: cutoff, limit: 1), 1, "no more than asked for")
        try expectEqual(try await store.purgeChallenges(expiredBefore: cutoff, limit: 10), 1, "the other old one")
        try expect(try await store.hasUsed(challenge("c3")), "the young one stays")
    }

    private static func key(
        _ mark: String, of subject: Subject, handle: String = "h", count: Int64 = 0, after seconds: Int = 0
    ) -> Passkey {
        Passkey(
            mark: mark, subject: subject, relyingParty: "bridge.example", credentialID: "id-\(mark)",
            algorithm: .es256, publicKey: "{}", userHandle: handle, name: "Ada’s 📱", signCount: count,
            createdAt: Sample.now + .seconds(seconds))
    }

    private static let added = Sample.event(.userPasskeyAdded)

    fileprivate static func challenge(
        _ digest: String, madeAfter start: Timestamp = Sample.now, endingAfter span: Duration = .seconds(300)
    ) -> UsedChallenge {
        UsedChallenge(digest: digest, madeAfter: start, expiresAt: Sample.now + span)
    }
}

extension BridgeStorage {
    /// An account, and a session in which its user changes how they sign in.
    fileprivate func addSample(_ subject: Subject) async throws {
        _ = try await addAccount(
            Account(subject: subject, username: nil, createdAt: Sample.now), issuer: Account.issuer, link: nil,
            event: Sample.event(.userCreated))
        _ = try await open(
            .passkeySample(SessionID(rawValue: "own-\(subject.rawValue)"), of: subject, at: Sample.now),
            replacing: nil, provenBy: nil, events: [])
    }

    fileprivate func addSample(
        _ passkey: Passkey, for challenge: String, endingAfter span: Duration = .seconds(300)
    ) async throws -> PasskeyAdding {
        try await add(
            passkey, for: PasskeyStoreConformance.challenge(challenge, endingAfter: span),
            in: SessionID(rawValue: "own-\(passkey.subject.rawValue)"), event: Sample.event(.userPasskeyAdded))
    }

    /// A web session that a passkey opens.
    fileprivate func openSample(
        _ name: String, with mark: String, of subject: Subject, for challenge: String, count: Int64 = 0,
        replacing replaced: ReplacedSession? = nil, at now: Timestamp
    ) async throws -> Bool {
        try await open(
            .passkeySample(SessionID(rawValue: "session-\(name)"), of: subject, at: now), replacing: replaced,
            provenBy: .passkey(
                PasskeyUse(
                    mark: mark, signCount: count, challenge: PasskeyStoreConformance.challenge(challenge))),
            events: [])
    }
}

extension WebSession {
    fileprivate static func passkeySample(_ id: SessionID, of subject: Subject, at now: Timestamp) -> WebSession {
        WebSession(
            id: id, secretDigest: "digest-\(id.rawValue)", subject: subject, clientID: "web", appClientID: nil,
            parentID: nil, loginTokenID: nil, opening: .authorize,
            authentication: Authentication(time: now, acr: "aal2", amr: ["pop", "user", "mfa"]), createdAt: now,
            expiresAt: now + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: now)
    }
}
