import Bridge
import Testing

@testable import SQLStorage

/// How PostgreSQL finds the sessions that a purge removes.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresPurgePlanTests {
    /// Also once the index is gone that older nodes purge by.
    @Test(arguments: [0, 50, 100])
    func `a purge reads sessions in the order of their ends, however many of a hundred were ended`(
        ended: Int
    ) async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            try Self.run(Self.filling(ended: ended), in: session)
            for (rows, name) in zip(WebSessionSQL.purges, ["ended", "living"]) {
                try Self.prepare(rows.anyDue, "due_\(name) (bigint, bigint)", in: session)
                try Self.prepare(rows.remove, "remove_\(name) (bigint, bigint, bigint)", in: session)
            }
            for isGone in [false, true] {
                if isGone { try Self.run(["DROP INDEX web_session_expiry"], in: session) }
                for name in ["ended", "living"] {
                    let due = try Self.plan(of: "due_\(name) (9000, 0)", in: session)
                    // The second mention of the table in a removal is the query that picks the rows.
                    let removal = try Self.plan(of: "remove_\(name) (9000, 500, 0)", in: session)
                    for (plan, flaws) in [
                        (due, ["Seq Scan", "Sort"]),
                        (removal, ["Seq Scan on web_session web_session_1", "Sort Key: web_session_1"]),
                    ] {
                        for flaw in flaws { #expect(!plan.contains(flaw), "\(plan)") }
                        if isGone { #expect(plan.contains("web_session_\(name)"), "\(plan)") }
                    }
                }
            }
        }
    }

    /// As a statement is planned that has been run a few times: for any values.
    private static func filling(ended: Int) -> [String] {
        [
            """
            INSERT INTO web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at,
                idle_lifetime, last_seen_at, ended_at)
            SELECT 'w' || number, 'd' || number, 'u' || number / 1000, 'web', 'authorize', 0, number, 1000, 0,
                CASE WHEN number % 100 < \(ended) THEN 1 END
            FROM generate_series(0, 29999) AS number
            """,
            "ANALYZE web_session", "SET plan_cache_mode = force_generic_plan",
        ]
    }

    /// Prepared by a block, for a statement of ours has arguments for whatever its text names.
    private static func prepare(_ statement: SQLStatement, _ heading: String, in session: PostgresSession) throws {
        let prepared = "PREPARE \(heading) AS " + statement.text.replacing("$", with: "?")
        try run(["DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'"], in: session)
    }

    private static func plan(of call: String, in session: PostgresSession) throws -> String {
        try session.run(SQLStatement("EXPLAIN (COSTS OFF) EXECUTE \(call)", isRecurring: false), [])
            .map { try $0.text(0) }.joined(separator: "\n")
    }

    private static func run(_ texts: [String], in session: PostgresSession) throws {
        for text in texts { _ = try session.run(SQLStatement(text, isRecurring: false), []) }
    }
}
