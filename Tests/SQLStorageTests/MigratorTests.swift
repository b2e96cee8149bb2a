import Bridge
import Crypto
import OAuth2
import Testing

@testable import SQLStorage

@Suite struct MigratorTests {
    @Test func `a new file gets every step, once`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let versions: SQLStatement = "SELECT version FROM schema_migration ORDER BY version"
            let first = try storage.onWriter(versions)
            #expect(first.map(\.values) == Migration.all.map { [.integer($0.version)] })
            let again = try database.open()
            #expect(try again.onWriter(versions) == first)
        }
    }

    @Test func `steps stand in the order of their numbers, each once`() {
        let versions = Migration.all.map(\.version)
        #expect(versions == Set(versions).sorted())
    }

    /// By number, a digest of what each step says to both engines. A database keeps the numbers alone: one that has a
    /// step never gets what is written into it later.
    private static let written: [Int64: String] = [
        1: "n9AIoZKbWS2AzeWA",
        2: "ejqT-OxoaQlMwMzY",
        3: "8DfEMF0x9FADCctI",
        4: "-pvEeA1KtfF1lQnx",
        5: "XanHwqJQJGdRjFTk",
        6: "rnqKZ64dZ41t8sKG",
        7: "64497GUyurg_dcrr",
        9: "nz3IqZgWvU49phiY",
        10: "1HRfDTs1_GmuEDZ8",
        11: "1V2uWM93JG_RhhG9",
        12: "61OBJEWIXufBhhaW",
        13: "AAYxdGXKNpIbUMdI",
        14: "QHKFRe-V_jG5Vsw2",
        15: "txkfk08wZcETbI6n",
        16: "cfYxFpUVmuXqLW2k",
        17: "7J2cR2-m6KjIL7nd",
        20: "HzijPYSPyDDNVfFH",
        21: "mv1X4aTEFSHSSKUC",
        22: "AuIvlEjX_kVpyYmT",
        26: "DlNGBZvCbA17k5hn",
        29: "OYB70M9jqmSganlh",
        32: "Ara7XvkWOwEHO88O",
        23: "ZmF7YIYImFU_XcIc",
        24: "II0SXPKn2KOkyDQc",
        36: "wH0i9-rU12wcV_0C",
        40: "UKAiTSAkqJUPKoHS",
        41: "cHWLwQoqq5egbM40",
        42: "hyvpDofdnPhFhqa-",
        43: "FGawWu_pvb3kSARa",
        44: "4dird7q89PYedEsv",
        45: "DOzuSJR2wogXpEaA",
        46: "18Bw4r_6aHC4RDje",
        47: "t6rFp1Txcex-SAkN",
        48: "Dg9H-pKbgKT2H1Xm",
        49: "l0-C2DnRfueqgagK",
        50: "kI5iEpXPRQozvG-t",
        51: "Aa-hahmvyAEmje1P",
    ]

    @Test func `a step that was taken is never changed, only followed by another`() throws {
        for migration in Migration.all {
            let text = [SQLDialect.sqlite, .postgres].flatMap { migration.statements($0).map(\.text) }.joined(
                separator: "\u{0}")
            let digest = Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8)).prefix(12)))
            #expect(Self.written[migration.version] == digest, "step \(migration.version): \(digest)")
        }
    }

    /// Nodes are replaced one after another from the version on that has the steps until here (docs/operations.md);
    /// some of those took away what the version before still used.
    private static let replacedOneByOneSince: Int64 = 17

    /// What a node of the version before that still runs would miss, or would be refused.
    /// - Parameter dialect: on SQLite an index may go as soon as it is not used: there no fleet is replaced, and a
    ///   server that an upgrade's command found running is slower without it until its end.
    private func takesAway(_ statements: [String], of dialect: SQLDialect) -> [String] {
        let made = Set(statements.compactMap { $0.firstMatch(of: /^CREATE TABLE (\w+)/)?.output.1 })
        return statements.filter { statement in
            if statement.hasPrefix("CREATE TABLE ") || statement.hasPrefix("CREATE INDEX ") { return false }
            if statement.hasPrefix("DROP INDEX ") { return dialect.isRemote }
            // Where a row lies is nothing that any node asks.
            if statement.wholeMatch(of: /ALTER TABLE \w+ SET \(fillfactor = \d+\)/) != nil { return false }
            // Of an older table, some of what the older node writes could be refused.
            if let index = statement.firstMatch(of: /^CREATE UNIQUE INDEX \w+ ON (\w+)/) {
                return !made.contains(index.output.1)
            }
            // What fills a table that the step made is no row of the older node's.
            if let filled = statement.firstMatch(of: /^INSERT INTO (\w+)/) { return !made.contains(filled.output.1) }
            let adds = statement.hasPrefix("ALTER TABLE ") && statement.contains(" ADD COLUMN ")
            return !adds || (statement.contains(" NOT NULL") && !statement.contains(" DEFAULT "))
        }
    }

    @Test func `a step takes nothing from a node of the version before that still runs`() {
        for migration in Migration.all where migration.version > Self.replacedOneByOneSince {
            for dialect in [SQLDialect.sqlite, .postgres] {
                let taken = takesAway(migration.statements(dialect).map(\.text), of: dialect)
                #expect(taken == [], "step \(migration.version)")
            }
        }
    }

    @Test(arguments: [
        "DROP TABLE web_session", "ALTER TABLE web_session DROP COLUMN scope", "DELETE FROM app_session",
        "ALTER TABLE web_session ADD COLUMN a BIGINT NOT NULL", "UPDATE app_user SET told_groups = NULL",
        "CREATE UNIQUE INDEX one ON web_session (login_token_id)", "INSERT INTO app_user (subject) VALUES ('a')",
        "DROP INDEX web_session_expiry", "ALTER TABLE web_session SET (autovacuum_enabled = off)",
        "ALTER TABLE web_session SET (fillfactor = 50), DROP COLUMN scope",
    ]) func `a step that does is found`(_ statement: String) {
        #expect(takesAway([statement, "CREATE TABLE made (a TEXT)"], of: .postgres) == [statement])
    }

    @Test func `a file has no index of sessions by expiry but those that purges go by`() async throws {
        try await TemporaryDatabase.with { database in
            let indexes = try database.open().onWriter(
                """
                SELECT name FROM sqlite_master
                WHERE type = 'index' AND sql LIKE 'CREATE INDEX % ON web_session (expires_at%' ORDER BY name
                """)
            #expect(indexes.map(\.values) == [[.text("web_session_ended")], [.text("web_session_living")]])
        }
    }

    @Test func `a step that an older database lacks is made up for, whatever came after it`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let engine = try #require(storage.engine as? SQLiteEngine)
            let first = Migration(version: 0, name: "forgotten") { _ in ["CREATE TABLE made (a TEXT)"] }
            let migrator = Migrator(dialect: engine.dialect, migrations: [first] + Migration.all)
            try engine.onWriterNow { try migrator.migrate($0, at: Timestamp(milliseconds: 0)) }
            #expect(try storage.onWriter("SELECT count(*) FROM made").map(\.values) == [[.integer(0)]])
            #expect(try engine.onWriterNow(migrator.missing).isEmpty)
        }
    }

    @Test func `a database of a newer version is refused, in words`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try storage.onWriter("INSERT INTO schema_migration VALUES (99, 'from the future', 0)")
            let error = #expect(throws: SQLiteOpenError.self) { try database.open() }
            #expect(error == .newerSchema(path: database.path, found: 99, known: Migration.all.last?.version ?? 0))
            #expect(error?.description.contains("newer version") == true)
            #expect(throws: SQLiteOpenError.self) { try database.openForReading() }
        }
    }

    @Test func `the provider's keys of the first version stand, and can be changed`() async throws {
        try await TemporaryDatabase.with { database in
            let lock = try NodeLock(databasePath: database.path, node: "first")
            let engine = try SQLiteEngine(path: database.path, lock: lock)
            try engine.onWriterNow { try FirstVersionKeys.fill($0, engine.dialect) }
            try engine.close()
            try await FirstVersionKeys.check(try database.open())
        }
    }

    @Test func `a step that fails leaves nothing of itself or the steps before it`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let dialect = storage.engine.dialect
            let engine = try #require(storage.engine as? SQLiteEngine)
            let last = Migration.all.last?.version ?? 0
            let good = Migration(version: last + 1, name: "good") { _ in ["CREATE TABLE made (a TEXT)"] }
            let bad = Migration(version: last + 2, name: "bad") { _ in ["CREATE TABLE app_user (a TEXT)"] }
            let migrator = Migrator(dialect: dialect, migrations: Migration.all + [good, bad])
            #expect(throws: SQLError.self) {
                try engine.onWriterNow { try migrator.migrate($0, at: Timestamp(milliseconds: 0)) }
            }
            #expect(try storage.onWriter("SELECT name FROM sqlite_master WHERE name = 'made'") == [])
            #expect(
                try storage.onWriter("SELECT max(version) FROM schema_migration").map(\.values) == [[.integer(last)]])
        }
    }
}
