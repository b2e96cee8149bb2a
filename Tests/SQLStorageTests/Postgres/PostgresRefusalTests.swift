import Bridge
import Synchronization
import Testing

@testable import SQLStorage

/// What a server refuses in the round trip that holds COMMIT: nothing was committed, and that is certain.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresRefusalTests {
    /// States after which a new connection is tried, and one after which this one goes on.
    private static let states = ["25006", "26000", "0A000", "23505"]

    @Test(arguments: states, ["IMMEDIATE", "DEFERRED"])
    func `what is refused before a commit or at it was not committed`(state: String, check: String) async throws {
        try await PostgresDatabase.with { database in
            let session = try database.session()
            for text in [
                "CREATE TABLE t (a BIGINT)",
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION USING ERRCODE = ''\(state)''; END'
                """,
                """
                CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON t DEFERRABLE INITIALLY \(check)
                FOR EACH ROW EXECUTE FUNCTION refuse()
                """,
            ] {
                _ = try session.run(SQLStatement(text, isRecurring: false))
            }
            try session.begin()
            try session.submit("INSERT INTO t VALUES (1)", [])
            let error = #expect(throws: SQLError.self) { try session.commit() }
            #expect(error?.kind == SQLError.kind(ofState: state))
            session.rollback()
            #expect(try database.session().run("SELECT a FROM t").isEmpty)
        }
    }

    @Test func `a write that a standby refuses together with its commit is run again`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "refused")
            try await storage.append([.sample(reason: "before")])
            let operators = try database.session()
            // A sequence goes on in a transaction that is undone.
            _ = try operators.run("CREATE SEQUENCE tries")
            _ = try operators.run(
                """
                CREATE FUNCTION refuse_first() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN
                    IF nextval(''tries'') = 1 THEN RAISE EXCEPTION USING ERRCODE = ''25006''; END IF;
                    RETURN NEW;
                END'
                """)
            _ = try operators.run(
                """
                CREATE TRIGGER refused BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_first()
                """)
            try await storage.append([.sample(reason: "after")])
            #expect(try await storage.reasons(of: "refused") == ["before", "after"])
        }
    }

    @Test func `a connection that the server ends before it comes to a commit costs its callers nothing`() async throws
    {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "ended")
            try await storage.append([.sample(reason: "before")])
            let attempts = Mutex(0)
            try await storage.write { transaction in
                try transaction.record(.sample(reason: "once"))
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                if isFirst { try transaction.submit(Self.hangUp, []) }
            }
            #expect(attempts.withLock { $0 } == 2)
            #expect(try await storage.reasons(of: "ended") == ["before", "once"])
        }
    }

    /// Sent together with the commit, and so answered in the same round trip.
    private static let hangUp: SQLStatement = """
        DO 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); END'
        """
}
