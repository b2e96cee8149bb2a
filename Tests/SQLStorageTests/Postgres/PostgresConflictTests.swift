import Bridge
import Dispatch
import OAuth2
import Synchronization
import StorageConformance
import Testing

@testable import SQLStorage

/// Nodes that want the same rows at the same time.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresConflictTests {
    @Test(arguments: ["40001", "40P01"])
    func `a write that lost a conflict is run again`(state: String) async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "n")
            let attempts = Mutex(0)
            try await storage.write { transaction in
                try transaction.record(.sample(reason: "once"))
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                guard isFirst else { return }
                try transaction.run(SQLStatement("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''\(state)''; END'"))
            }
            #expect(attempts.withLock { $0 } == 2)
            #expect(try await storage.reasons(of: "n") == ["once"])
        }
    }

    @Test func `two nodes whose transactions wait for each other both get their way`() async throws {
        try await PostgresDatabase.with { database in
            let storages = [try await database.open(node: "a"), try await database.open(node: "b")]
            for subject in ["x", "y"] {
                try await storages[0].addUser(Subject(rawValue: subject), at: Timestamp(milliseconds: 1))
            }
            let meeting = Meeting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (storage, order) in zip(storages, [["x", "y"], ["y", "x"]]) {
                    group.addTask {
                        let isFirst = Mutex(true)
                        try await storage.write { transaction in
                            try transaction.run(Self.change, [.text(order[0])])
                            if isFirst.withLock({ first in
                                defer { first = false }; return first
                            }) {
                                meeting.wait()
                            }
                            try transaction.run(Self.change, [.text(order[1])])
                            try transaction.record(.sample(reason: order[0]))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let changes = try await storages[0].read { try $0.run("SELECT first_seen_at FROM app_user") }
            #expect(changes.map(\.values) == [[.integer(3)], [.integer(3)]])
            #expect(try await storages[0].reasons(of: "a") == [nil, nil, "x"])
            #expect(try await storages[0].reasons(of: "b") == ["y"])
        }
    }

    @Test func `no session outlives a disabling that another node commits in between`() async throws {
        try await PostgresDatabase.with { database in
            let node = try await database.open()
            let now = Timestamp(milliseconds: 1_763_708_400_123)
            try await node.addUser("alice", at: now)
            // Another node's redemption has read that alice may sign in, and goes on to open her session.
            let slow = try database.session()
            try slow.begin()
            _ = try slow.run(node.heldStanding, [.text("alice")])
            async let ended = node.change("alice", UserChange(isDisabled: true), ending: .sample(at: now))
            try await database.untilSomebodyWaits()
            _ = try slow.run(
                """
                INSERT INTO web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at,
                    idle_lifetime, last_seen_at)
                VALUES ('late', 'd', 'alice', 'web', 'login_token', 1, 9000000000000, 1, 1)
                """)
            try slow.commit()
            #expect(try await ended == .changed(Ended(sessions: ["late"])))
        }
    }

    @Test func `a purge leaves a row that is used again while it waits`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open()
            let now = Timestamp(milliseconds: 1_763_708_400_123)
            let other = try database.session()
            func put(_ content: String, until expiry: Timestamp) throws {
                _ = try other.run(
                    CrossDeviceSQL.add, [.text("k"), .text(content), SQLValue(expiry), SQLValue(now)])
            }
            try put("old", until: Timestamp(milliseconds: 1))
            try other.begin()
            try put("new", until: now + .seconds(60))
            async let purged = storage.purgeCrossDevices(expiredBefore: now, limit: 10)
            try await database.untilSomebodyWaits(for: "cross_device")
            try other.commit()
            #expect(try await purged == 0)
            #expect(try await storage.crossDevice("k", at: now)?.content == "new")
        }
    }

    @Test func `a purge leaves an idempotency key that is claimed again while it waits`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open()
            let now = Timestamp(milliseconds: 1_763_708_400_123)
            let other = try database.session()
            func claim(_ payload: String, until expiry: Timestamp) throws {
                _ = try other.run(
                    LoginTokenSQL.claimKey,
                    [
                        .text("k"), .text("fingerprint"), .text("token"), .text("key"), .text(payload),
                        SQLValue(expiry), SQLValue(now),
                    ])
            }
            try claim("old", until: Timestamp(milliseconds: 1))
            try other.begin()
            try claim("new", until: now + .seconds(60))
            async let purged = storage.purgeLoginTokens(expiredBefore: now, limit: 10)
            try await database.untilSomebodyWaits(for: "idempotency_key")
            try other.commit()
            _ = try await purged
            let payloads = try other.run(LoginTokenSQL.selectKey, [.text("k")]).map { try $0.text(4) }
            #expect(payloads == ["new"])
        }
    }

    @Test func `many nodes that start on an empty database migrate it once`() async throws {
        try await PostgresDatabase.with { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await database.open().checkWritable() } }
                try await group.waitForAll()
            }
            let versions = try database.session().run("SELECT version FROM schema_migration ORDER BY version")
            #expect(versions.map(\.values) == Migration.all.map { [.integer($0.version)] })
        }
    }

    @Test func `a migration that met a node which waited for it is run again`() async throws {
        try await PostgresDatabase.with { database in
            // It alters the table of uses of login tokens, then that of device secrets.
            let missing: Int64 = 44
            let before = Migration.all.filter { $0.version != missing }
            try Migrator(dialect: .postgres, migrations: before).migrate(
                database.session(), at: Timestamp(milliseconds: 1))
            let older = PostgresSession(
                address: database.address, applicationName: "older", timeouts: .command, logger: .silent)
            try older.connect()
            _ = try older.run("SET deadlock_timeout = '60s'")
            _ = try older.run("SET statement_timeout = '30s'")
            try older.begin()
            _ = try older.run("LOCK TABLE device_secret_digest IN ROW EXCLUSIVE MODE")
            async let opened = database.open()
            // The migration looks for a deadlock once, a tenth of a second after it began to wait. So the server itself
            // sees that it waits, and asks for the other table in the next moment.
            _ = try older.run(
                """
                DO 'BEGIN
                    WHILE NOT EXISTS (
                        SELECT 1 FROM pg_locks
                        WHERE NOT granted AND relation = CAST(''device_secret_digest'' AS regclass)
                    ) LOOP
                        PERFORM pg_sleep(0.001);
                    END LOOP;
                    LOCK TABLE login_token_use IN ROW EXCLUSIVE MODE;
                END'
                """)
            try older.commit()
            try await opened.checkWritable()
        }
    }

    @Test func `a change that disables a user holds the account first, as every other change does`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "n")
            _ = try await storage.addAccount(
                Account(subject: "alice", username: nil, createdAt: Visit.now), issuer: Account.issuer, link: nil,
                event: .sample(.userCreated))
            let change = UserChange(claims: try StandardClaims(["nickname": .string("Al")]), isDisabled: true)
            let other = PostgresSession(
                address: database.address, applicationName: "other", timeouts: .command, logger: .silent)
            try other.connect()
            try other.begin()
            _ = try other.run("UPDATE account SET role = role WHERE subject = 'alice'")
            async let outcome = storage.change("alice", change)
            try await database.untilSomebodyWaits(for: "account SET")
            // It would fail where the change had this row already, and the two would wait for each other.
            _ = try other.run("SELECT subject FROM app_user WHERE subject = 'alice' FOR UPDATE NOWAIT")
            try other.commit()
            #expect(try await outcome == .changed(.nothing))
        }
    }

    @Test func `a node's name is taken for as long as its process runs`() async throws {
        try await PostgresDatabase.with { database in
            let first = try await database.open(node: "n")
            let error = await #expect(throws: PostgresOpenError.self) { try await database.open(node: "n") }
            #expect(error == .nodeInUse("n"))
            #expect(error?.description.contains("another process") == true)
            try await first.close()
            try await database.open(node: "n").checkWritable()
        }
    }

    private static let change: SQLStatement = "UPDATE app_user SET first_seen_at = first_seen_at + 1 WHERE subject = $1"
}

/// Lets two threads go on when both have come.
private final class Meeting: Sendable {
    private let arrivals = Mutex(0)
    private let gate = DispatchSemaphore(value: 0)

    func wait() {
        let isComplete = arrivals.withLock { count in
            count += 1
            return count == 2
        }
        if isComplete { gate.signal() } else { _ = gate.wait(timeout: .now() + 10) }
    }
}
