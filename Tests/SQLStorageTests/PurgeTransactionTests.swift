import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct PurgeTransactionTests {
    @Test func `a purge with nothing to remove takes no transaction`() async throws {
        try await TemporaryDatabase.with { database in
            let commits = CommitCounter()
            let storage = DurableStorage(
                engine: CountingEngine(try database.open().engine, commits), auditor: .sample(node: "n"),
                time: .system)
            _ = try await storage.redeemSample("t")
            // A commit is counted right after its callers are told; the next turn on the writer comes after that.
            func counted() async -> Int {
                await withCheckedContinuation { turn in storage.engine.onWriter { _ in turn.resume() } }
                return commits.count
            }
            let before = await counted()
            try await Self.purge(storage, before: Visit.now)
            #expect(await counted() == before)
            try await Self.purge(storage, before: Visit.now + .seconds(86_400))
            #expect(await counted() > before)
            #expect(try await storage.session(id: "session-t") == nil)
        }
    }

    @Test(arguments: AnticipationTests.Place.present)
    func `a purge of devices waits for no statement, however many go`(place: AnticipationTests.Place) async throws {
        try await place.with { storage, log in
            try await storage.write { transaction in
                for number in 1...20 {
                    let device = DeviceSecret(
                        id: DeviceSecretID(rawValue: "d\(number)"), subject: "alice", clientID: "app", sessionID: "s",
                        name: nil, platform: nil, createdAt: Visit.now, expiresAt: Visit.now + .seconds(number))
                    try transaction.run(DeviceSecretSQL.insert, device.columns)
                    try transaction.run(
                        DeviceSecretSQL.insertDigest,
                        [.text("digest-\(number)"), SQLValue(device.id), SQLValue(Visit.now)])
                }
            }
            log.clear()
            #expect(try await storage.purgeDeviceSecrets(expiredBefore: Visit.now + .seconds(11), limit: 50) == 10)
            #expect(log.entries.alone == [])
            let left = try await storage.read { session in
                try session.run("SELECT count(*), count(DISTINCT device_secret_id) FROM device_secret_digest")
            }
            #expect(left.map(\.values) == [[.integer(10), .integer(10)]])
        }
    }

    @Test(arguments: [1, 2, 3, 100])
    func `a purge goes past the devices that it keeps, some at a time, and misses none`(window: Int) async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            // Three at a time expired in one instant.
            for number in 0..<9 {
                try storage.insert(
                    "device_secret (id, subject, client_id, session_id, created_at, use_count, expires_at)",
                    "'d\(number)', 'alice', 'app', 's\(number)', 0, 0, \(number / 3)")
            }
            for number in 0..<9 where ![4, 8].contains(number) {
                try storage.insert(
                    """
                    app_session (id, subject, client_id, scope, opening, wants_logout_notice, created_at, expires_at, \
                    device_secret_id)
                    """, "'s\(number)', 'alice', 'app', '', 'authorize', 0, 0, 100, 'd\(number)'")
            }
            func search(_ limit: Int) async throws -> ExpiredDevices {
                try await storage.read { session in
                    var search = ExpiredDevices(
                        before: Timestamp(milliseconds: 50), from: Timestamp(milliseconds: .min), limit: limit)
                    search.window = window
                    while !search.isOver { try search.look(in: session) }
                    return search
                }
            }
            let all = try await search(10)
            #expect(all.found == [.text("d4"), .text("d8")])
            #expect(all.place == Timestamp(milliseconds: 50))
            let one = try await search(1)
            #expect(one.found == [.text("d4")])
            #expect(one.place == Timestamp(milliseconds: 1))
        }
    }

    @Test func `a purge goes on where the last one ended, and begins anew after an hour`() async throws {
        try await TemporaryDatabase.with { database in
            let clock = SetClock()
            let storage = try database.open(time: clock.source)
            let now = clock.now
            func use(_ digest: String, until age: Int) async throws {
                _ = try await storage.claimUse(digest: digest, madeAfter: now, until: now - .seconds(age))
            }
            func purge(_ limit: Int) async throws -> Int {
                try await storage.purgeUses(expiredBefore: now, limit: limit)
            }
            for age in [10, 20, 30] { try await use("\(age)", until: age) }
            #expect(try await purge(2) == 2)
            // One that is as old as the last that went, and one that nobody writes whose clock is right.
            try await use("as old", until: 20)
            try await use("older", until: 25)
            #expect(try await purge(10) == 2)
            #expect(try await purge(10) == 0)
            clock.advance(PurgeProgress.patience)
            #expect(try await purge(10) == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a purge of ended sessions and one of the others each go on where they were`(areEnded: Bool) async throws {
        try await TemporaryDatabase.with { database in
            let clock = SetClock()
            let storage = try database.open(time: clock.source)
            let now = clock.now
            func expired(_ age: Int, isEnded: Bool) throws {
                let (expiry, end) = ((now - .seconds(age)).milliseconds, isEnded ? "1" : "NULL")
                try storage.insert(
                    """
                    web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at, \
                    idle_lifetime, last_seen_at, ended_at)
                    """, "'\(age)', '\(age)', 'alice', 'web', 'authorize', 0, \(expiry), 1, 0, \(end)")
            }
            func purge() async throws -> Int { try await storage.purgeSessions(expiredBefore: now, limit: 10) }
            try expired(30, isEnded: areEnded)
            try expired(10, isEnded: !areEnded)
            #expect(try await purge() == 1, "of each")
            try expired(20, isEnded: areEnded)
            #expect(try await purge() == 1)
            #expect(try storage.onWriter("SELECT count(*) FROM web_session").map(\.values) == [[.integer(0)]])
        }
    }

    @Test func `a purge begins anew when the clock was set back`() {
        let now = Visit.now
        var progress = PurgeProgress()
        progress.note(now - .seconds(60), in: "a", at: now)
        #expect(progress.start(in: "a", at: now) == now - .seconds(60))
        for (table, time) in [("b", now), ("a", now - .seconds(1)), ("a", now + PurgeProgress.patience)] {
            #expect(progress.start(in: table, at: time) == Timestamp(milliseconds: .min), "\(table) \(time)")
        }
    }

    private static func purge(_ storage: DurableStorage, before cutoff: Timestamp) async throws {
        _ = try await storage.purgeLoginTokens(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgePushedRequests(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeSelfIssued(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeChallenges(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeCrossDevices(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeSessions(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeCodes(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeDeviceAuthorizations(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeAppSessions(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeDeviceSecrets(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeRevokedTokens(expiredBefore: cutoff, limit: 10)
        _ = try await storage.purgeUses(expiredBefore: cutoff, limit: 10)
        try await storage.purgeAdminSessions(expiredBefore: cutoff)
    }
}

extension DurableStorage {
    fileprivate func insert(_ table: String, _ values: String) throws {
        try onWriter(SQLStatement("INSERT INTO \(table) VALUES (\(values))", isRecurring: false))
    }
}
