import Bridge
import BridgeTestSupport
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed")) struct PostgresMigrationTests {
    @Test func `the provider's keys of the first version stand, and can be changed`() async throws {
        try await PostgresDatabase.with { database in
            try FirstVersionKeys.fill(try database.session(), .postgres)
            try await FirstVersionKeys.check(try await database.open())
        }
    }

    @Test func `a migration that waits for a backup holds up no request for long`() async throws {
        try await PostgresDatabase.with { database in
            let backup = try Self.reader(of: database.address)
            async let migrated: Void = PostgresStorage.migrate(
                database.address, at: Timestamp(milliseconds: 2),
                patience: MigrationPatience(limit: .seconds(600), pause: .milliseconds(500)), logger: .silent)
            try await database.untilSomebodyWaits(for: "ALTER TABLE app_session")
            // Behind the statement that waits to alter the table.
            let request = Result { try database.session().run("SELECT count(*) FROM app_session") }
            try backup.commit()
            try await migrated
            #expect(try request.get().map(\.values) == [[.integer(0)]])
            #expect(try Migrator(dialect: .postgres).missing(database.session()).isEmpty)
        }
    }

    @Test func `a migration that cannot have a table says in the end who holds it`() async throws {
        try await PostgresDatabase.with { database in
            let backup = try Self.reader(of: database.address)
            defer { backup.disconnect() }
            let error = await #expect(throws: PostgresOpenError.self) {
                try await PostgresStorage.migrate(
                    database.address, at: Timestamp(milliseconds: 2),
                    patience: MigrationPatience(limit: .zero, pause: .zero), logger: .silent)
            }
            #expect(error?.description.contains("(pg_dump); start again") == true, "\(String(describing: error))")
            #expect(error?.description.contains("could not be brought up to date") == true)
        }
    }

    @Test func `nodes that start together leave the pauses between their attempts to those who read`() async throws {
        try await PostgresDatabase.with { database in
            let backup = try Self.reader(of: database.address)
            let observer = try database.session()
            func attempts() throws -> Int64 {
                try observer.run(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = CAST('app_session' AS regclass)
                    """
                ).first?.integer(0) ?? 0
            }
            let patience = MigrationPatience(limit: .seconds(600), pause: .seconds(3))
            async let migrated: Void = withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await PostgresStorage.migrate(
                            database.address, at: Timestamp(milliseconds: 2), patience: patience, logger: .silent)
                    }
                }
                try await group.waitForAll()
            }
            try await database.untilSomebodyWaits(for: "ALTER TABLE app_session")
            while try attempts() > 0 { try await Task.sleep(for: .milliseconds(10)) }
            let end = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < end {
                #expect(try attempts() == 0)
                try await Task.sleep(for: .milliseconds(50))
            }
            try backup.commit()
            try await migrated
            #expect(try Migrator(dialect: .postgres).missing(database.session()).isEmpty)
        }
    }

    @Test func `a migration goes on, and ends in words, where it cannot be found out who holds a table`() async throws {
        let server = try await PostgresServer.shared()
        // A table of the same name hides what the server knows of its locks.
        _ = try server.administrator().run("CREATE SCHEMA unseen_locks")
        _ = try server.administrator().run("CREATE TABLE unseen_locks.pg_locks (nothing BIGINT)")
        let address = try server.address("?options=-csearch_path%3Dunseen_locks%2Cpg_catalog")
        let backup = try Self.reader(of: address)
        defer { backup.disconnect() }
        await #expect(throws: PostgresOpenError.tablesHeld(address.description, by: "unknown")) {
            try await PostgresStorage.migrate(
                address, at: Timestamp(milliseconds: 2), patience: MigrationPatience(limit: .zero, pause: .zero),
                logger: .silent)
        }
    }

    /// A transaction that has read a table which the next step alters. As a backup's it may be idle for an hour: a
    /// service's is ended by the server after five seconds.
    private static func reader(of address: PostgresAddress) throws -> PostgresSession {
        let before = Migration.all.filter { $0.version != Migration.appsAbove.version }
        try Migrator(dialect: .postgres, migrations: before).migrate(
            PostgresSession.connected(to: address), at: Timestamp(milliseconds: 1))
        let reader = PostgresSession(
            address: address, applicationName: "pg_dump", timeouts: .command, logger: .silent)
        try reader.connect()
        try reader.begin()
        _ = try reader.run("SELECT count(*) FROM app_session")
        return reader
    }

    /// A user by the name of `ελένη` would be refused there, long after the start.
    @Test func `a database that cannot hold every letter is refused, with what to do`() async throws {
        let server = try await PostgresServer.shared()
        _ = try server.administrator().run(
            SQLStatement(
                "CREATE DATABASE western ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", isRecurring: false))
        let address = try PostgresAddress("postgres://drawbridge@127.0.0.1:\(server.port)/western")
        let expected = PostgresOpenError.wrongEncoding(database: "127.0.0.1/western", found: "LATIN1")
        await #expect(throws: expected) {
            _ = try await PostgresStorage.open(
                address, node: "n", signer: UnsignedCheckpoints(), logger: .silent)
        }
        await #expect(throws: expected) {
            _ = try await PostgresStorage.openForReading(address, logger: .silent)
        }
        #expect(expected.description.contains("createdb --encoding UTF8 --template template0"))
    }
}
