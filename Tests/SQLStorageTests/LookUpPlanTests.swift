import Bridge
import Testing

@testable import SQLStorage

/// What runs at requests, or each minute, goes by an index, however many users and sessions there are.
@Suite struct LookUpPlanTests {
    private static let lookUps: [(String, SQLStatement, [SQLValue], String)] = [
        ("living sessions", WebSessionSQL.countLive, [.integer(0)], "COVERING INDEX web_session_living"),
        (
            "what a refresh cookie led to", SessionRefreshSQL.usedChild, [.text("d"), .text("s")],
            "web_session_refresh_parent"
        ),
        ("a user's sign-ins elsewhere", AccountSQL.identities, [.text("s")], "upstream_identity_subject"),
        (
            "a provider's user who signed out", UpstreamSessionSQL.ofUser, [.text("i"), .text("u"), .integer(0)],
            "upstream_session_subject"
        ),
        (
            "a provider's session that is over", UpstreamSessionSQL.ofSession, [.text("i"), .text("s"), .integer(0)],
            "upstream_session_sid"
        ),
        (
            "that of a user", UpstreamSessionSQL.ofUserInSession,
            [.text("i"), .text("u"), .integer(0), .text("s")], "upstream_session_subject"
        ),
        (
            "a device's web views", WebSessionSQL.aliveBeyond, [.text("d"), .integer(0), .text("w"), .integer(9)],
            "web_session_parent"
        ),
        (
            "a device's apps", WebSessionSQL.aliveBeyond, [.text("d"), .integer(0), .text("w"), .integer(9)],
            "app_session_device"
        ),
        ("apps on the device of a secret", AppSessionSQL.underDigest, [.text("d")], "app_session_device"),
        (
            "codes that went on from a raised session", EndingSQL.renamedOrigins[0], [.text("s"), .text("t")],
            "authorization_code_granted"
        ),
        (
            "codes of a raised session", EndingSQL.renamedOrigins[1], [.text("s"), .text("t")],
            "authorization_code_browser"
        ),
        ("codes of a user", EndingSQL.deleteCodesOf, [.text("s"), .integer(0)], "authorization_code_browser"),
        ("sessions with a user's codes", EndingSQL.deleteCodesOf, [.text("s"), .integer(0)], "web_session_subject"),
        (
            "a user's codes of a client", ConsentSQL.deleteCodes, [.text("s"), .text("c"), .integer(0)],
            "authorization_code_browser"
        ),
        (
            "a user's sessions of a client", ConsentSQL.appSessions, [.text("s"), .text("c"), .integer(0)],
            "app_session_subject"
        ),
        (
            "an app's unused tokens", LoginTokenSQL.revokeOfApp, [.text("s"), .text("c"), .integer(0), .null],
            "INDEX login_token_use_expiry"
        ),
        ("apps that a browser's session holds", EndingSQL.heldBy, [.text("s")], "app_session_browser"),
        (
            "what goes on from a session that had ended", EndingSQL.moveLeftAppSessions, [.text("s"), .text("t")],
            "app_session_browser"
        ),
        ("websites that a browser's session holds", EndingSQL.heldBy, [.text("s")], "web_session_parent"),
        (
            "where some expired devices end", DeviceSecretSQL.laterExpiry, [.integer(0), .integer(9), .integer(5)],
            "COVERING INDEX device_secret_expiry"
        ),
        (
            "expired devices", DeviceSecretSQL.idle, [.integer(0), .integer(9), .integer(9), .integer(5)],
            "device_secret_expiry"
        ),
        (
            "apps on expired devices", DeviceSecretSQL.idle, [.integer(0), .integer(9), .integer(9), .integer(5)],
            "app_session_device"
        ),
        ("logout notices to be sent", LogoutNoticeSQL.queue.first, [.text("")], "INDEX logout_notice_client"),
        ("webhook notices to be sent", WebhookSQL.queue.first, [.text("")], "INDEX webhook_notice_client"),
    ]

    @Test(arguments: lookUps.map(\.0))
    func `a look-up goes by its index`(_ name: String) async throws {
        let (_, statement, arguments, index) = try #require(Self.lookUps.first { $0.0 == name })
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let plan = try await Self.plan(of: statement, arguments, in: storage)
            #expect(plan.contains(index) && !plan.contains("SCAN"), "\(plan)")
        }
    }

    @Test func `a purge of sessions goes by an index of those that were ended, and one of the others`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            for (rows, index) in zip(WebSessionSQL.purges, ["INDEX web_session_ended", "INDEX web_session_living"]) {
                let statements: [(SQLStatement, [SQLValue])] = [
                    (rows.anyDue, [.integer(9), .integer(0)]),
                    (rows.remove, [.integer(9), .integer(5), .integer(0)]),
                ]
                for (statement, arguments) in statements {
                    let plan = try await Self.plan(of: statement, arguments, in: storage)
                    #expect(plan.contains(index), "\(plan)")
                    #expect(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "\(plan)")
                }
            }
        }
    }

    /// Each of a list, and what is below it; whether a second argument goes with it, and its indexes.
    private static let ends: [(String, SQLStatement, Bool, [String])] = {
        let sql = EndingSQL(.sqlite)
        return [
            ("app sessions", sql.endAppSessions, true, ["sqlite_autoindex_app_session_1"]),
            ("web sessions", sql.endWebSessions, true, ["sqlite_autoindex_web_session_1"]),
            ("codes", sql.deleteCodesIn, true, ["authorization_code_browser"]),
            ("codes that went on", sql.deleteMovedCodes, false, ["authorization_code_granted"]),
            (
                "codes of replaced sessions", sql.deleteCodesBelow, true,
                ["authorization_code_granted", "web_session_parent", "web_session_handed"]
            ),
            (
                "sessions below", sql.below, true,
                [
                    "app_session_parent", "web_session_parent", "web_session_handed", "app_session_browser",
                    "app_session_granted",
                ]
            ),
        ]
    }()

    @Test(arguments: ends.map(\.0))
    func `what ends of many sessions is found by indexes alone`(_ name: String) async throws {
        let (_, statement, hasFlag, indexes) = try #require(Self.ends.first { $0.0 == name })
        try await TemporaryDatabase.with { database in
            let list = try SQLValue.lists(of: ["s", "t"] as [SessionID])
            let plan = try await Self.plan(
                of: statement, list + (hasFlag ? [.integer(1)] : []), in: try database.open())
            for index in indexes { #expect(plan.contains(index), "\(plan)") }
            // What is scanned is the list, and the one row with the number of the transaction.
            for line in plan.split(separator: "\n") where line.contains("SCAN") {
                #expect(["SCAN json_each", "SCAN transaction_number"].contains { line.contains($0) }, "\(plan)")
            }
        }
    }

    @Test func `the secrets that came of a session are found by indexes alone`() async throws {
        try await TemporaryDatabase.with { database in
            let plan = try await Self.plan(
                of: DeviceSecretSQL.givenBelow, [.text("s"), .integer(0)], in: try database.open())
            let uses = ["device_secret_subject", "device_secret_digest_device", "SEARCH a USING", "SEARCH w USING"]
            #expect(uses.allSatisfy { plan.contains($0) }, "\(plan)")
            // What is scanned is what was found so far.
            for line in plan.split(separator: "\n") where line.contains("SCAN") {
                #expect(["SCAN g", "SCAN given", "SCAN found"].contains(line), "\(plan)")
            }
        }
    }

    private static func plan(
        of statement: SQLStatement, _ arguments: [SQLValue], in storage: DurableStorage
    ) async throws -> String {
        try await storage.read { session in
            try session.run(
                SQLStatement("EXPLAIN QUERY PLAN " + statement.text, isRecurring: false), arguments
            ).map { try $0.text(3) }
        }.joined(separator: "\n")
    }
}
