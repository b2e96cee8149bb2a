import Bridge
import Testing

@testable import SQLStorage

/// A redemption adds to its token's row, which moves to another page where its own has no room: then every index of the
/// table is written to as well.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresRedemptionRoomTests {
    @Test func `of redemptions that find nothing given free, more than a third write to no index`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await database.open()
            let session = try database.session()
            // In one transaction, in which nothing that a page held before is given free: elsewhere more find room.
            try session.begin()
            _ = try session.run(
                """
                INSERT INTO login_token_use (token_id, subject, client_id, issued_at, expires_at, state, misses)
                SELECT 'token-of-usual-length-' || number, 'alice', 'app', 0, 60000, 'pending', 0
                FROM generate_series(0, 599) AS number
                """)
            let digest = String(repeating: "x", count: 43)
            for number in 0..<600 {
                let (token, opened) = ("token-of-usual-length-\(number)", "session-of-usual-length-\(number)")
                _ = try session.run(
                    LoginTokenSQL.redeem,
                    [.text(token), .integer(1), .text(opened), .text("203.0.113.7"), .text(digest)])
            }
            let counts = try session.run(
                """
                SELECT pg_stat_get_xact_tuples_updated(CAST('login_token_use' AS regclass)),
                    pg_stat_get_xact_tuples_hot_updated(CAST('login_token_use' AS regclass))
                """)
            try session.commit()
            #expect(try counts.first?.integer(0) == 600)
            // Without any room it is none but those of the last page.
            #expect(try counts.first?.integer(1) ?? 0 > 200)
        }
    }
}
