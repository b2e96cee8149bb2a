import Bridge
import BridgeTestSupport
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted)) struct PostgresLeaseTests {
    @Test func `a process whose lease another one took writes nothing more, and the chain goes on`() async throws {
        try await PostgresDatabase.with { database in
            let first = try await database.open(node: "n")
            try await first.append([NodeLeaseTests.event])
            // As if it had slept until its lease had run out, and could not say that it is there.
            _ = try database.session().run("UPDATE node_lease SET expires_at = 0, holder = 'gone' WHERE node = 'n'")
            let second = try await database.open(node: "n")
            try await second.append([NodeLeaseTests.event])
            await #expect(throws: StorageError.self) { try await first.append([NodeLeaseTests.event]) }
            #expect(!first.nodeStanding.isHeld)
            try await second.append([NodeLeaseTests.event])
            try await second.close()
            try await first.append([NodeLeaseTests.event])
            #expect(first.nodeStanding.isHeld)
            let rows = try database.session().run(
                "SELECT sequence FROM audit_event WHERE node = 'n' AND type = 'node.started' ORDER BY sequence")
            #expect(rows.count == 4)
        }
    }

    @Test(arguments: [true, false])
    func `that another process took the name is said once, whether the renewal finds it out or a batch`(
        isFoundByRenewal: Bool
    ) async throws {
        try await PostgresDatabase.with { database in
            let lines = LogLines()
            let first = try await database.open(node: "n", logger: lines.logger)
            let engine = try #require(first.engine as? PostgresEngine)
            let lease = try #require(try first.auditor().lease)
            _ = try database.session().run("UPDATE node_lease SET expires_at = 0, holder = 'gone' WHERE node = 'n'")
            _ = try await database.open(node: "n")
            if isFoundByRenewal { try await engine.onWriterNow { lease.renew($0) } }
            await #expect(throws: StorageError.self) { try await first.append([NodeLeaseTests.event]) }
            try await engine.onWriterNow { lease.renew($0) }
            #expect(
                lines.complaints.filter { $0.contains("node") } == ["another process has taken over as this node"])
        }
    }

    @Test func `a process that lost its lease seals nothing, and the one that has it seals all`() async throws {
        try await PostgresDatabase.with { database in
            let now = Timestamp(milliseconds: 1_763_708_400_123)
            let first = try await database.open(node: "n")
            try await first.append((0..<20).map { AuditStore.event($0, at: now) })
            _ = try database.session().run("UPDATE node_lease SET expires_at = 0, holder = 'gone' WHERE node = 'n'")
            let second = try await database.open(node: "n")
            let rows: SQLStatement = """
                SELECT (SELECT count(*) FROM audit_index), (SELECT count(*) FROM audit_segment)
                """
            await #expect(throws: StorageError.self) { _ = try await first.sealAudit(at: now, size: 8) }
            #expect(try database.session().run(rows).map(\.values) == [[.integer(0), .integer(0)]])
            while try await second.sealAudit(at: now, size: 8) {}
            #expect(try database.session().run(rows).first?.integer(1) == 2)
        }
    }

    @Test func `a name whose process has ended on this machine is not waited for`() async throws {
        try await PostgresDatabase.with { database in
            try await database.open(node: "n").close()
            var parts = LeaseHolder().text.split(separator: " ").map(String.init)
            // Of this number there is a process, but it did not start then.
            parts[3] = "1"
            _ = try database.session().run(
                "UPDATE node_lease SET expires_at = 9000000000000, holder = $1 WHERE node = 'n'",
                [.text(parts.joined(separator: " "))])
            try await database.open(node: "n").checkWritable()
        }
    }

    @Test func `who waits for a name is not turned away because yet another one took it`() async throws {
        try await PostgresDatabase.with { database in
            try await database.open(node: "n").close()
            let session = try database.session()
            func take(as holder: String, seconds: Int64) throws -> Int64 {
                try session.run(
                    """
                    UPDATE node_lease
                    SET holder = $1, expires_at = CAST(extract(epoch FROM now()) * 1000 AS BIGINT) + $2
                    WHERE node = 'n' RETURNING CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)
                    """, [.text(holder), .integer(seconds * 1000)]
                ).first?.integer(0) ?? 0
            }
            var start = try take(as: "one", seconds: 60)
            async let opened = database.open(node: "n")
            try await database.untilFoundTaken("n", since: start)
            // Its end is later, and nobody has put it off.
            start = try take(as: "two", seconds: 90)
            try await database.untilFoundTaken("n", since: start)
            _ = try take(as: "", seconds: 0)
            try await opened.checkWritable()
        }
    }

    @Test func `a database knows what was said of a lease if it has that, or what came after it`() async throws {
        try await PostgresDatabase.with { database in
            // It makes the table.
            _ = try await database.open()
            let session = try database.session()
            _ = try session.run(
                "INSERT INTO node_lease (node, epoch, holder, expires_at) VALUES ('said', 3, '', 1000)")
            func knows(_ node: String, epoch: Int64, end: Int64) throws -> Bool {
                try !session.run(LeaseSQL.knowledge, [.text(node), .integer(epoch), .integer(end)]).isEmpty
            }
            #expect(try knows("said", epoch: 3, end: 1000))
            #expect(try knows("said", epoch: 3, end: 999))
            #expect(try knows("said", epoch: 2, end: 9000), "another process has the name, in the same database")
            #expect(try !knows("said", epoch: 3, end: 1001))
            #expect(try !knows("said", epoch: 4, end: 0))
            #expect(try !knows("other", epoch: 0, end: 0))
        }
    }

    @Test func `a command is told to wait for the other one, and not to take another name`() {
        let told =
            #"another drawbridge command writes this database as the node "main-cli"; try again when it has ended"#
        #expect(PostgresOpenError.nodeInUse("main-cli").description == told)
        #expect(SQLiteOpenError.nodeInUse("main-cli").description == told)
    }

    @Test func `another takes the name only when the transaction under way has ended`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "n")
            let engine = try #require(storage.engine as? PostgresEngine)
            let lease = try #require(try storage.auditor().lease)
            try await engine.onWriterNow { session in
                try session.begin()
                try lease.fence(session)
                _ = try session.run("SELECT 1")
                let other = try database.session()
                try other.begin()
                #expect(throws: SQLError.self) { _ = try other.run(LeaseSQL.trial, [.text("n")]) }
                other.rollback()
                session.rollback()
            }
        }
    }

    @Test func `a node that has seen more than the database knows ends the tokens of before`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "n")
            try await storage.append([NodeLeaseTests.event])
            // As a dump that is loaded over the rows: the lease is then that of its time, too.
            let session = try database.session()
            try session.begin()
            _ = try session.run("DELETE FROM audit_event WHERE node = 'n'")
            _ = try session.run("UPDATE node_lease SET expires_at = expires_at - 60000 WHERE node = 'n'")
            try session.commit()
            try await storage.append([NodeLeaseTests.event])
            let number = try database.session().run("SELECT number FROM restore_point").map(\.values)
            #expect(number == [[.integer(1)]])
        }
    }

    @Test func `a restore of which another node tells is heard of before the next batch is written`() async throws {
        try await PostgresDatabase.with { database in
            let one = try await database.open(node: "one")
            let two = try await database.open(node: "two")
            _ = try await one.recordRestore(
                by: .login("root"), at: TimeSource.system.now(), keepsSessions: true, reason: nil)
            try await two.append([NodeLeaseTests.event])
            #expect(two.nodeStanding.isHeld)
            #expect(try await Set(one.livingNodes()) == ["two"])
        }
    }

    @Test(arguments: [true, false])
    func `the database tells the time of its server, to a handle that only reads as well`(writes: Bool) async throws {
        try await PostgresDatabase.with { database in
            let writer = try await database.open()
            let reader = try await PostgresStorage.openForReading(database.address)
            let before = TimeSource.system.now()
            let told = try await (writes ? writer : reader).databaseTime()
            try await reader.close()
            let time = try #require(told)
            // What the server rounds is a millisecond at most.
            #expect(time >= before - .milliseconds(1) && time <= TimeSource.system.now() + .milliseconds(1))
        }
    }

    @Test func `what other nodes that run have signed last is found, and by which key`() async throws {
        try await PostgresDatabase.with { database in
            func signed() async throws -> [AuditCheckpoint] {
                try await PostgresStorage.newestCheckpoints(database.address, besides: "two")
            }
            #expect(try await signed().isEmpty)
            let keys = try (1...2).map { _ in try AuditSigningKey.generate(name: "localhost/test") }
            for name in ["one", "two", "gone"] {
                let storage = try await database.open(node: name, signer: keys[0])
                try await storage.append([NodeLeaseTests.event])
                // A stop signs for what there is.
                try await storage.close()
            }
            #expect(try await signed().isEmpty, "no other runs")
            let one = try await database.open(node: "one", signer: keys[0])
            let found = try await signed()
            #expect(found.map(\.node) == ["one"])
            #expect(found.first?.problem(trusting: [keys[0].verifierKey]) == nil)
            #expect(found.first?.problem(trusting: [keys[1].verifierKey]) == .checkpointUnknownKey)
            try await one.close()
        }
    }
}
