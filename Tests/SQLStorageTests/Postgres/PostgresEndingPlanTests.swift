import Bridge
import Testing

@testable import SQLStorage

/// How PostgreSQL goes about an end, where much has changed since it last counted what there is.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresEndingPlanTests {
    private static let sql = EndingSQL(.postgres)

    private static let statements = [
        "app sessions": sql.endAppSessions, "web sessions": sql.endWebSessions, "what is below": sql.below,
        "codes": sql.deleteCodesBelow,
    ]

    /// Found by a load: each of an account's ends read all that had ended since the last `ANALYZE`.
    @Test(arguments: ["what is below", "codes"])
    func `an end does not go through what has ended`(name: String) async throws {
        let statement = try #require(Self.statements[name])
        try await PostgresDatabase.with { database in
            let plan = try await Self.plan(
                of: statement, endedAt: "NULL",
                then: "UPDATE web_session SET ended_at = 1 WHERE subject < 'u2'", in: database)
            #expect(plan.contains("web_session_parent") && plan.contains("web_session_handed"), "\(plan)")
            #expect(!plan.contains("web_session_ended") && !plan.contains("Seq Scan on web_session"), "\(plan)")
        }
    }

    @Test(arguments: ["what is below", "web sessions"])
    func `an end does not go through what lives`(name: String) async throws {
        let statement = try #require(Self.statements[name])
        try await PostgresDatabase.with { database in
            let plan = try await Self.plan(
                of: statement, endedAt: "1",
                then: "UPDATE web_session SET ended_at = NULL, expires_at = 9000 WHERE subject < 'u2'", in: database)
            for flaw in ["web_session_living", "web_session_expiry", "Seq Scan on web_session"] {
                #expect(!plan.contains(flaw), "\(plan)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `an end of a user's codes does not go through what lives`(isOfOneClient: Bool) async throws {
        try await PostgresDatabase.with { database in
            let plan = try await Self.plan(
                of: isOfOneClient ? ConsentSQL.deleteCodes : EndingSQL.deleteCodesOf,
                taking: isOfOneClient
                    ? (types: "text, text, bigint", values: "'u0', 'web', 5000")
                    : (types: "text, bigint", values: "'u0', 5000"),
                endedAt: "1",
                then: "UPDATE web_session SET ended_at = NULL, expires_at = 9000 WHERE subject < 'u2'", in: database)
            for flaw in ["web_session_living", "web_session_expiry", "Seq Scan on web_session"] {
                #expect(!plan.contains(flaw), "\(plan)")
            }
        }
    }

    /// With the types of its arguments, and those of a user who has not changed since.
    private static let ofUsers: [String: (statement: SQLStatement, arguments: (types: String, values: String))] = [
        "everything": (EndingSQL.everythingOf, ("text, bigint", "'u9', 5000")),
        "what an app opened": (EndingSQL.openedByApp, ("text, text, bigint, text", "'u9', 'app', 5000, NULL")),
        "sessions of a client": (ConsentSQL.appSessions, ("text, text, bigint", "'u9', 'app', 5000")),
        "sessions by a key": (LinkedKeySQL.webSessions, ("text, bigint", "'u9', 5000")),
        "app sessions by a key": (LinkedKeySQL.appSessions, ("text, bigint", "'u9', 5000")),
        "app sessions given secrets": (LinkedKeySQL.givenSecrets, ("text, bigint", "'u9', 5000")),
    ]

    @Test(arguments: ofUsers.keys.sorted())
    func `an end of what is a user's does not go through what lives of others`(name: String) async throws {
        let (statement, arguments) = try #require(Self.ofUsers[name])
        try await PostgresDatabase.with { database in
            let plan = try await Self.plan(
                of: statement, taking: arguments, endedAt: "1",
                then: "UPDATE web_session SET ended_at = NULL, expires_at = 9000 WHERE subject < 'u2'",
                "UPDATE app_session SET expires_at = 9000 WHERE subject < 'u2'", in: database)
            for flaw in ["_living", "_expiry", "Seq Scan on web_session", "Seq Scan on app_session"] {
                #expect(!plan.contains(flaw), "\(plan)")
            }
        }
    }

    @Test func `an app's sign-out does not go through login tokens that have expired`() async throws {
        try await PostgresDatabase.with { database in
            let plan = try await Self.plan(
                of: LoginTokenSQL.revokeOfApp,
                taking: (types: "text, text, bigint, text", values: "'u9', 'app', 5000, NULL"), endedAt: "NULL",
                then: """
                    INSERT INTO login_token_use (token_id, subject, client_id, issued_at, expires_at, state, misses)
                    SELECT 't' || number, 'u' || number / 1000, 'app', 0, number / 10, 'pending', 0
                    FROM generate_series(0, 29999) AS number
                    """, "ANALYZE login_token_use", in: database)
            #expect(plan.contains("login_token_use_expiry"), "\(plan)")
            #expect(!plan.contains("Seq Scan on login_token_use"), "\(plan)")
        }
    }

    @Test func `an end of app sessions does not go through what has not expired`() async throws {
        let statement = try #require(Self.statements["app sessions"])
        try await PostgresDatabase.with { database in
            let plan = try await Self.plan(
                of: statement, endedAt: "1", then: "UPDATE app_session SET expires_at = 9000 WHERE subject < 'u2'",
                in: database)
            #expect(plan.contains("app_session_pkey"), "\(plan)")
        }
    }

    /// - Parameters:
    ///   - arguments: their types, and what they are.
    ///   - end: when all web sessions had ended by the last `ANALYZE`.
    ///   - changes: what has happened since.
    private static func plan(
        of statement: SQLStatement,
        taking arguments: (types: String, values: String) = (types: "json, bigint", values: "'[\"w0\"]', 5000"),
        endedAt end: String, then changes: String..., in database: PostgresDatabase
    ) async throws -> String {
        _ = try await database.open()
        let session = try database.session()
        // Prepared by a block, for a statement of ours has arguments for whatever its text names.
        let prepared =
            "PREPARE ending (\(arguments.types)) AS "
            + statement.text.replacing("$", with: "?").replacing("'", with: "''''")
        let preparation = "DO 'BEGIN EXECUTE replace(''\(prepared)'', ''?'', chr(36)); END'"
        for text in filling(endedAt: end) + changes + [preparation] {
            _ = try session.run(SQLStatement(text, isRecurring: false), [])
        }
        let explained = "EXPLAIN EXECUTE ending (\(arguments.values))"
        return try session.run(SQLStatement(explained, isRecurring: false), [])
            .map { try $0.text(0) }.joined(separator: "\n")
    }

    private static func filling(endedAt end: String) -> [String] {
        [
            """
            INSERT INTO app_session
                (id, subject, client_id, scope, opening, wants_logout_notice, created_at, expires_at)
            SELECT 'a' || number, 'u' || number / 1000, 'app', '', 'authorize', 0, 0, 1000
            FROM generate_series(0, 29999) AS number
            """,
            """
            INSERT INTO web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at,
                idle_lifetime, last_seen_at, ended_at)
            SELECT 'w' || number, 'd' || number, 'u' || number / 1000, 'web', 'authorize', 0, 1000, 1000, 0, \(end)
            FROM generate_series(0, 29999) AS number
            """,
            "ANALYZE app_session", "ANALYZE web_session",
        ]
    }
}
