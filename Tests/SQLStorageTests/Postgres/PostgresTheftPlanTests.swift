import Bridge
import Testing

@testable import SQLStorage

/// How PostgreSQL goes about what a theft takes back, where device secrets rotate and each device has had a thousand.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresTheftPlanTests {
    /// The user's row is held meanwhile.
    @Test func `what is above a session is looked up by the tables' keys, and nothing is compiled`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            let prepared =
                "PREPARE given_below (text, bigint) AS " + DeviceSecretSQL.givenBelow.text.replacing("$", with: "?")
            for text in Self.filling + [
                // As a statement is planned that has been run a few times: for any values.
                "SET plan_cache_mode = force_generic_plan",
                "DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'",
            ] {
                _ = try session.run(SQLStatement(text, isRecurring: false), [])
            }
            // Run as well: what a recursive step looks up is not shown before.
            let plan = try session.run(
                SQLStatement(
                    "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE given_below ('a0', 0)", isRecurring: false), []
            ).map { try $0.text(0) }.joined(separator: "\n")
            for key in ["app_session_pkey on app_session a", "web_session_pkey on web_session w"] {
                #expect(plan.contains(key), "\(plan)")
            }
            for flaw in ["Seq Scan on app_session", "Seq Scan on web_session", "JIT"] {
                #expect(!plan.contains(flaw), "\(plan)")
            }
        }
    }

    private static let filling = [
        """
        INSERT INTO app_session (id, subject, client_id, scope, opening, wants_logout_notice, created_at, expires_at)
        SELECT 'a' || number, 'u' || number / 1000, 'app', '', 'authorize', 0, 0, 1000
        FROM generate_series(0, 29999) AS number
        """,
        """
        INSERT INTO web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at, idle_lifetime,
            last_seen_at)
        SELECT 'w' || number, 'd' || number, 'u' || number / 1000, 'web', 'sign_in', 0, 1000, 1000, 0
        FROM generate_series(0, 29999) AS number
        """,
        """
        INSERT INTO device_secret (id, subject, client_id, session_id, created_at, use_count, expires_at)
        SELECT 'd' || number, 'u' || number, 'app', 'a' || number * 1000, 0, 0, 1000
        FROM generate_series(0, 29) AS number
        """,
        """
        INSERT INTO device_secret_digest (digest, device_secret_id, issued_at, session_id)
        SELECT 'v' || number, 'd' || number / 1000, 0, 'a' || number / 100 * 100
        FROM generate_series(0, 29999) AS number
        """,
        "ANALYZE app_session", "ANALYZE web_session", "ANALYZE device_secret", "ANALYZE device_secret_digest",
    ]
}
