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
        (
            "codes that went on from a raised session", EndingSQL.renamedOrigins[0], [.text("s"), .text("t")],
            "authorization_code_granted"
        ),
        (
            "codes of a raised session", EndingSQL.renamedOrigins[1], [.text("s"), .text("t")],
            "authorization_code_browser"
        ),
        ("logout notices to be sent", LogoutNoticeSQL.queue.first, [.text("")], "INDEX logout_notice_client"),
        ("webhook notices to be sent", WebhookSQL.queue.first, [.text("")], "INDEX webhook_notice_client"),
    ]

    @Test(arguments: lookUps.map(\.0))
    func `a look-up goes by its index`(_ name: String) async throws {
        let (_, statement, arguments, index) = try #require(Self.lookUps.first { $0.0 == name })
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let plan = try await storage.read { session in
                try session.run(
                    SQLStatement("EXPLAIN QUERY PLAN " + statement.text, isRecurring: false), arguments
                ).map { try $0.text(3) }
            }.joined(separator: "\n")
            #expect(plan.contains(index) && !plan.contains("SCAN"), "\(plan)")
        }
    }
}
