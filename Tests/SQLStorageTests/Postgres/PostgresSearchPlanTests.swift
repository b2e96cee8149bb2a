import Bridge
import Testing

@testable import SQLStorage

/// How PostgreSQL goes about the statements of a search, once the log is long.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresSearchPlanTests {
    /// Found by a history: after half a million events each search read all of them, three times over.
    @Test func `the end of a long chain is counted by the table's key`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            // Prepared by a block, for a statement of ours has arguments for whatever its text names.
            let prepared =
                "PREPARE count_open (text, bigint, bigint) AS "
                + AuditSegmentSQL.countOpen.text.replacing("$", with: "?")
            for text in [
                """
                INSERT INTO audit_event (node, sequence, at, type, outcome, previous_hash, hash)
                SELECT 'n' || number % 3, number / 3 + 1, number, 'login_token.issued', 'success', repeat('p', 43),
                    repeat('h', 43) FROM generate_series(0, 29999) AS number
                """,
                "ANALYZE audit_event",
                // As a statement is planned that has been run a few times: for any values.
                "SET plan_cache_mode = force_generic_plan",
                "DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'",
            ] {
                _ = try session.run(SQLStatement(text, isRecurring: false), [])
            }
            let plan = try session.run(
                SQLStatement("EXPLAIN EXECUTE count_open ('n1', 9990, 1001)", isRecurring: false), []
            ).map { try $0.text(0) }.joined(separator: "\n")
            #expect(plan.contains("audit_event_pkey") && !plan.contains("Seq Scan"), "\(plan)")
        }
    }

    @Test func `of a long queue of notices the first of a client are found by its index`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            let prepared = "PREPARE due (text) AS " + LogoutNoticeSQL.queue.first.text.replacing("$", with: "?")
            for text in [
                """
                INSERT INTO logout_notice (id, client_id, subject, session_id, created_at, attempts, next_attempt_at)
                SELECT 'n' || number, 'c' || number % 3, 's', 's', 0, 0, 0 FROM generate_series(0, 29999) AS number
                """,
                "ANALYZE logout_notice",
                "SET plan_cache_mode = force_generic_plan",
                "DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'",
            ] {
                _ = try session.run(SQLStatement(text, isRecurring: false), [])
            }
            let plan = try session.run(SQLStatement("EXPLAIN EXECUTE due ('c0')", isRecurring: false), [])
                .map { try $0.text(0) }.joined(separator: "\n")
            #expect(plan.contains("logout_notice_client") && !plan.contains("Sort"), "\(plan)")
        }
    }

    @Test func `that nothing is due to be removed is seen without reading the table`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            let prepared =
                "PREPARE any_due (bigint, bigint) AS " + SessionRefreshSQL.purge.anyDue.text.replacing("$", with: "?")
            for text in [
                """
                INSERT INTO web_session_refresh (digest, session_id, issued_at, expires_at, is_void)
                SELECT 'd' || number, 's' || number, 0, number, 0 FROM generate_series(0, 29999) AS number
                """,
                "ANALYZE web_session_refresh",
                "SET plan_cache_mode = force_generic_plan",
                "DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'",
            ] {
                _ = try session.run(SQLStatement(text, isRecurring: false), [])
            }
            let plan = try session.run(SQLStatement("EXPLAIN EXECUTE any_due (0, 0)", isRecurring: false), [])
                .map { try $0.text(0) }.joined(separator: "\n")
            #expect(plan.contains("Index") && !plan.contains("Seq Scan"), "\(plan)")
        }
    }

    /// Otherwise each of a search's windows would read all accounts.
    @Test func `a window of users is found by the keys of both tables`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            let search = SubjectSQL.search("x", hasEnd: true, .postgres).text
            let prepared =
                "PREPARE window_of_users (bigint, text, text, text) AS "
                + search.replacing("$", with: "?").replacing("'", with: "''''")
            for text in [
                """
                INSERT INTO app_user (subject, issuer, first_seen_at)
                SELECT 'u' || number, 'i', 0 FROM generate_series(0, 29999) AS number
                """,
                """
                INSERT INTO account (subject, created_at, password_changed_at)
                SELECT 'u' || number, 0, 0 FROM generate_series(0, 29999) AS number
                """,
                "ANALYZE app_user", "ANALYZE account", "SET plan_cache_mode = force_generic_plan",
                "DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'",
            ] {
                _ = try session.run(SQLStatement(text, isRecurring: false), [])
            }
            let plan = try session.run(
                SQLStatement("EXPLAIN EXECUTE window_of_users (50, 'u1', '%x%', 'u2')", isRecurring: false), []
            ).map { try $0.text(0) }.joined(separator: "\n")
            #expect(plan.contains("app_user_pkey") && plan.contains("account_pkey"), "\(plan)")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
        }
    }
}
