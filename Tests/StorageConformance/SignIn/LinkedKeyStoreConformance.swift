package import Bridge
import OAuth2

/// What every ``LinkedKeyStore`` must do, and the database's part of the sign-ins that wait.
package enum LinkedKeyStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        SelfIssuedTransactionConformance.cases.map { conformance in
            ConformanceCase(conformance.description) { open in try await conformance.check { try await open() } }
        } + [
            purge, linking, account, unlinking, ends, devices, openings, lastWayIn, race, told, overSession, restored,
            successor,
        ]

    private static let purge = ConformanceCase<any BridgeStorage>("sign-ins that wait for a phone are purged") { open in
        let store = try await open()
        for second in 1...3 {
            let record = SelfIssuedRecord(content: "sealed", expiresAt: Sample.now + .seconds(second))
            try await store.keepSelfIssued(record, as: "t\(second)", at: Sample.now)
        }
        let cutoff = Sample.now + .seconds(3)
        try expectEqual(try await store.purgeSelfIssued(expiredBefore: cutoff, limit: 1), 1, "no more than asked for")
        try expectEqual(try await store.purgeSelfIssued(expiredBefore: cutoff, limit: 10), 1, "the other old one")
        try expect(try await store.selfIssued("t3", at: Sample.now) != nil, "the young one stays")
    }

    private static let linking = ConformanceCase<any BridgeStorage>("a key belongs to one user, who may have several") {
        open in
        let store = try await open()
        try await store.addSample("alice")
        try await store.addSample("bob")
        try expect(try await store.link(key("k1", of: "alice"), in: nil, event: linked) == .linked, "the first")
        try expect(
            try await store.link(key("k2", of: "alice", after: 1), in: nil, event: linked) == .linked, "a second key")
        try expect(try await store.link(key("k1", of: "bob"), in: nil, event: linked) == .taken, "another user's")
        try expect(try await store.link(key("k1", of: "alice"), in: nil, event: linked) == .taken, "the same once more")
        try expectEqual(try await store.linkedKey("k1"), key("k1", of: "alice"), "found")
        try expectEqual(try await store.linkedKeys(of: "alice").map(\.thumbprint), ["k1", "k2"], "of alice")
        try expectEqual(try await store.linkedKeys(of: "bob").count, 0, "of bob")
        try expectEqual(try await store.events(.selfIssuedLinked).count, 2, "events")
        let later = Sample.now + .seconds(9)
        try expect(try await store.openSample("s1", with: "k1", of: "alice", at: later), "used")
        try expect(try await !store.openSample("s2", with: "k1", of: "bob", at: later), "not by another")
        try expectEqual(try await store.linkedKey("k1")?.lastUsedAt, later, "last use")
    }

    private static let successor = ConformanceCase<any BridgeStorage>(
        "an administrator who has a phone's key alone may be the last one"
    ) { open in
        let store = try await open()
        _ = try await store.add("root", subject: "root")
        try await store.addSample("alice")
        for name: Subject in ["root", "alice"] { _ = try await store.change(name, UserChange(role: .give(.admin))) }
        let without = try await store.change("root", UserChange(role: .take))
        try expectEqual(without, .lastAdministrator, "without it")
        try expect(try await store.link(key("k", of: "alice"), in: nil, event: linked) == .linked, "the key")
        let with = try await store.change("root", UserChange(role: .take))
        try expectEqual(with, .changed(.nothing), "with it")
    }

    private static let account = ConformanceCase<any BridgeStorage>("of concurrent accounts for one key one is made") {
        open in
        let servers = [try await open(), try await open()]
        let added = try await concurrently(20) { number in
            let subject = Subject(rawValue: "new-\(number)")
            return try await servers[number % 2].addAccount(
                Account(subject: subject, username: nil, createdAt: Sample.now), issuer: Account.issuer,
                key: key("k", of: subject), events: [Sample.event(.userCreated), linked])
        }
        try expectEqual(added.count { $0 }, 1, "accounts")
        let winner = Subject(rawValue: "new-\(added.firstIndex(of: true) ?? -1)")
        try expectEqual(try await servers[0].linkedKey("k")?.subject, winner, "whose key")
        try expect(try await servers[1].account(of: winner) != nil, "the account is there")
        try expectEqual(try await servers[0].events(.userCreated).count, 1, "events")
    }

    private static let unlinking = ConformanceCase<any BridgeStorage>("an unlinked key is never taken again") { open in
        let store = try await open()
        try await store.addSample("alice")
        for name in ["k1", "k2"] { _ = try await store.link(key(name, of: "alice"), in: nil, event: linked) }
        let later = Sample.now + .seconds(5)
        try expectEqual(try await store.unlinkSample("k1", of: "bob", at: later), .unknown, "by another")
        try expectEqual(try await store.unlinkSample("k1", of: "alice", at: later), .unlinked(.nothing), "by its user")
        try expectEqual(try await store.unlinkSample("k1", of: "alice", at: later), .unknown, "once more")
        try expect(try await !store.openSample("s", with: "k1", of: "alice", at: later), "used")
        try expectEqual(try await store.session(id: "session-s"), nil, "its session")
        try expect(try await store.link(key("k1", of: "alice"), in: nil, event: linked) == .taken, "linked again")
        try expectEqual(try await store.linkedKey("k1")?.revokedAt, later, "when")
        try expectEqual(try await store.linkedKeys(of: "alice").map(\.thumbprint), ["k2"], "what is left")
        try expectEqual(try await store.events(.selfIssuedUnlinked).count, 1, "events")
    }

    private static let ends = ConformanceCase<any BridgeStorage>(
        "unlinking ends what keys signed in, offline grants of ended sessions included"
    ) { open in
        let store = try await open()
        try await store.addSample("alice")
        try await store.addSample("bob")
        for (name, subject) in [("k1", Subject(rawValue: "alice")), ("k2", "alice"), ("k3", "bob")] {
            _ = try await store.link(key(name, of: subject), in: nil, event: linked)
        }
        for name in ["gone", "other", "spared"] {
            _ = try await store.openSample(name, with: "k1", of: "alice", at: Sample.now)
        }
        _ = try await store.openSample("bobs", with: "k3", of: "bob", at: Sample.now)
        _ = try await store.open(Sample.session("password"), replacing: nil, provenBy: nil, events: [])
        let offline = Sample.keyGrant("offline", in: "session-gone")
        _ = try await store.open(offline, refreshToken: nil, events: [])
        let later = Sample.now + .seconds(5)
        _ = try await store.end(
            .webSession("session-gone"),
            Ending(at: later, reason: .signedOut, origin: nil, extent: .signOut), first: [])
        try expectEqual(try await store.appSession(id: offline.id)?.endedAt, nil, "it outlives the browser")
        let outcome = try await store.unlinkSample("k1", of: "alice", at: later + .seconds(1))
        guard case .unlinked(let ended) = outcome else { throw ConformanceFailure(description: "not unlinked") }
        try expectEqual(Set(ended.sessions), ["session-other", offline.id], "ended")
        try expect(try await store.appSession(id: offline.id)?.endedAt != nil, "the grant")
        for alive in ["spared", "bobs", "password"] {
            let session = try await store.session(id: SessionID(rawValue: "session-\(alive)"))
            try expectEqual(session?.endedAt, nil, alive)
        }
    }

    private static let devices = ConformanceCase<any BridgeStorage>(
        "unlinking takes back device secrets given by a key's sign-in, where no other sign-in uses them"
    ) { open in
        let store = try await open()
        try await store.addSample("alice")
        for name in ["k1", "k2"] { _ = try await store.link(key(name, of: "alice"), in: nil, event: linked) }
        let byKey = ["alone", "both", "joined", "over"].map { Sample.keyGrant($0) }
        for session in byKey + [DeviceSample.session("own")] {
            _ = try await store.open(session, refreshToken: nil, events: [])
            try await store.giveDevice(session.id)
        }
        for (session, device) in [
            (Sample.keyGrant("later"), "device-both"), (DeviceSample.session("other"), "device-joined"),
            (Sample.keyGrant("guest"), "device-own"),
        ] as [(AppSession, DeviceSecretID)] {
            _ = try await store.open(session, refreshToken: nil, events: [])
            try expect(try await store.attach(session.id, to: device, at: Sample.now), "\(session.id) on it")
        }
        let more = try await store.addDeviceSecret(
            digest: "more", to: "device-own", for: "app-guest", at: Sample.now, keeping: 2,
            event: Sample.event(.deviceSecretIssued))
        try expectEqual(more, .added, "the guest's secret")
        _ = try await store.end(.appSession("app-over"), .sample())
        let outcome = try await store.unlinkSample("k1", of: "alice", at: Sample.now + .seconds(5))
        guard case .unlinked(let ended) = outcome else { throw ConformanceFailure(description: "not unlinked") }
        try expectEqual(Set(ended.devices), ["device-alone", "device-both", "device-over"], "devices")
        try expectEqual(try await store.deviceSecret(id: "device-alone")?.revokeReason, "key_unlinked", "why")
        try expectEqual(try await store.deviceSecret(digest: "more"), nil, "the guest's secret")
        for name in ["joined", "own"] {
            let found = try await store.deviceSecret(digest: "digest-\(name)")
            try expect(found != nil && found?.device.revokedAt == nil, name)
        }
    }

    private static let openings = ConformanceCase<any BridgeStorage>(
        "of sign-ins on two servers none outlasts the unlinking of its key"
    ) { open in
        let servers = [try await open(), try await open()]
        try await servers[0].addSample("alice")
        for name in ["k1", "k2"] { _ = try await servers[0].link(key(name, of: "alice"), in: nil, event: linked) }
        async let unlinking = servers[0].unlinkSample("k1", of: "alice", at: Sample.now + .seconds(1))
        _ = try await concurrently(20) { number in
            try await servers[number % 2].openSample("\(number)", with: "k1", of: "alice", at: Sample.now)
        }
        _ = try await unlinking
        for number in 0..<20 {
            let session = try await servers[0].session(id: SessionID(rawValue: "session-\(number)"))
            try expect(session == nil || session?.endedAt != nil, "session \(number) is not there, or has ended")
        }
    }

    private static let told = ConformanceCase<any BridgeStorage>("what a phone told is a note of its key") { open in
        let store = try await open()
        let note = LinkedKey(
            thumbprint: "k", subject: "new", algorithm: .es256, origin: .account, createdAt: Sample.now,
            told: LinkedKey.Told(name: "Ada", email: "ada@example.com"))
        let account = Account(subject: "new", username: nil, createdAt: Sample.now)
        try expect(
            try await store.addAccount(account, issuer: Account.issuer, key: note, events: []), "added")
        try expectEqual(try await open().linkedKey("k"), note, "the key")
        try expectEqual(try await store.account(of: "new")?.email, nil, "the account's address")
    }

    private static let lastWayIn = ConformanceCase<any BridgeStorage>("the last way to sign in is not unlinked") {
        open in
        let store = try await open()
        try await store.addSample("alone")
        _ = try await store.link(key("k1", of: "alone"), in: nil, event: linked)
        try expectEqual(try await store.unlinkSample("k1", of: "alone", at: Sample.now), .lastWayIn, "the only key")
        try expect(try await store.openSample("s", with: "k1", of: "alone", at: Sample.now), "still good")
        try expectEqual(try await store.events(.selfIssuedUnlinked).count, 0, "events")
    }

    private static let race = ConformanceCase<any BridgeStorage>(
        "of two keys unlinked at once on two servers one stays"
    ) {
        open in
        let servers = [try await open(), try await open()]
        try await servers[0].addSample("alone")
        for name in ["k0", "k1"] { _ = try await servers[0].link(key(name, of: "alone"), in: nil, event: linked) }
        let outcomes = try await concurrently(2) { number in
            try await servers[number].unlinkSample("k\(number)", of: "alone", at: Sample.now)
        }
        try expectEqual(outcomes.count { $0 == .unlinked(.nothing) }, 1, "unlinked")
        try expectEqual(outcomes.count { $0 == .lastWayIn }, 1, "kept")
        try expectEqual(try await servers[0].linkedKeys(of: "alone").count, 1, "left")
    }

    private static let overSession = ConformanceCase<any BridgeStorage>("a session that is over links no key") { open in
        let store = try await open()
        try await store.addSample("alice")
        _ = try await store.redeemSample(Sample.token("a"))
        _ = try await store.end(.webSession("session-a"), .sample(), first: [])
        for session: LinkingSession in [
            .browser("session-a"), .browser("unknown"), .app("session-a"), .app("unknown"),
        ] {
            let linking = try await store.link(key("k1", of: "alice"), in: session, event: linked)
            try expectEqual(linking, .sessionEnded, "\(session)")
        }
        try expectEqual(try await store.linkedKeys(of: "alice"), [], "keys")
    }

    private static let restored = ConformanceCase<any BridgeStorage>(
        "a restore that ends sessions takes the keys of users who have another way in, and no others"
    ) { open in
        let store = try await open()
        try await store.addSample("only")
        _ = try await store.add("alice")
        _ = try await store.addAccount(
            Account(subject: "upstream", username: nil, createdAt: Sample.now), issuer: Account.issuer,
            link: UpstreamIdentity(issuer: "https://a.example", subject: "u"), event: Sample.event(.userCreated))
        for name in ["only", "sub-alice", "upstream"] {
            _ = try await store.link(key("of-\(name)", of: Subject(rawValue: name)), in: nil, event: linked)
        }
        let report = try await store.recordRestore(
            by: .login("root"), at: Sample.now, keepsSessions: false, reason: nil)
        try expectEqual(report.keysLeft.map { $0.thumbprint }, ["of-only"], "told")
        for (name, isLeft) in [("only", true), ("sub-alice", false), ("upstream", false)] {
            let found = try await store.linkedKey("of-\(name)")
            try expectEqual(found != nil, isLeft, name)
        }
    }

    private static func key(_ name: String, of subject: Subject, after seconds: Int = 0) -> LinkedKey {
        LinkedKey(
            thumbprint: name, subject: subject, algorithm: .es256, origin: .linked,
            createdAt: Sample.now + .seconds(seconds))
    }

    private static let linked = Sample.event(.selfIssuedLinked)
}

extension BridgeStorage {
    /// An account without a password.
    fileprivate func addSample(_ subject: Subject) async throws {
        _ = try await addAccount(
            Account(subject: subject, username: nil, createdAt: Sample.now), issuer: Account.issuer, link: nil,
            event: Sample.event(.userCreated))
    }

    fileprivate func unlinkSample(_ name: String, of subject: Subject, at now: Timestamp) async throws -> Unlinking {
        try await unlink(
            name, of: subject, sparing: "session-spared", .sample(.keyUnlinked, at: now),
            event: Sample.event(.selfIssuedUnlinked, at: now))
    }

    /// Gives an app session the first secret of a device that is named as it is.
    fileprivate func giveDevice(_ session: SessionID) async throws {
        let name = session.rawValue.replacing("app-", with: "")
        let outcome = try await issueDeviceSecret(
            DeviceSample.device(name), digest: "digest-\(name)",
            limit: DeviceSecretLimit(count: 9, behavior: .revokeOldest),
            event: Sample.event(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
        guard case .issued = outcome else { throw ConformanceFailure(description: "no device for \(name)") }
    }

    /// A web session that a key opens.
    fileprivate func openSample(
        _ name: String, with key: String, of subject: Subject, at now: Timestamp
    ) async throws -> Bool {
        try await open(
            WebSession(
                id: SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)", subject: subject,
                clientID: "web", appClientID: nil, parentID: nil, loginTokenID: nil, opening: .authorize,
                authentication: Sample.byKey, createdAt: now,
                expiresAt: now + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: now),
            replacing: nil, provenBy: .key(thumbprint: key), events: [])
    }
}

extension Sample {
    fileprivate static let byKey = Authentication(time: now, acr: "aal1", amr: [Authentication.selfIssued, "pop"])

    /// What an app was granted by a key, to outlive the browser's session that it was granted in.
    fileprivate static func keyGrant(_ name: String, in browser: SessionID? = nil) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "app-\(name)"), subject: "alice", clientID: "app",
            scope: Scope(tokens: [Scope.openID, Scope.offlineAccess]), opening: .authorize, authentication: byKey,
            browserSessionID: browser, createdAt: now, expiresAt: now + .seconds(3600))
    }
}
