package import Bridge

extension DurableStorage: UpstreamSessionStore {
    package func end(namedBy token: LogoutToken, _ ending: Ending) async throws -> Ended? {
        let claim = SQLCall(
            SingleUseSQL.claim,
            [.text(token.digest), SQLValue(token.usableUntil), SQLValue(token.madeAfter)])
        let named = UpstreamSessionSQL.living(namedBy: token, at: ending.at)
        // Names nothing ahead: it goes by what one browser's session leaves to the next, which others only submit.
        return try await write { [endings] transaction in
            guard try transaction.changes(claim) else { return nil }
            // Held, so that one which is made stronger meanwhile is found in the one place or the other.
            for user in Set(try transaction.run(named).map { try $0.text(0) }).sorted() {
                _ = try transaction.changes(SubjectSQL.hold, [.text(user)])
            }
            return try transaction.run(named).reduce(into: Ended.nothing) { ended, row in
                let more = try transaction.end(.webSession(row.identifier(1)), ending, by: endings)
                ended = ended + more
            }
        }
    }
}

/// The statements about the sign-ins at upstream providers that web sessions resulted from.
enum UpstreamSessionSQL {
    static func insert(_ origin: UpstreamSession, opening session: WebSession) -> SQLCall {
        SQLCall(
            insertion,
            [
                SQLValue(session.id), .text(origin.issuer), .text(origin.subject), SQLValue(origin.session),
                SQLValue(session.expiresAt),
            ])
    }

    private static let insertion: SQLStatement = """
        INSERT INTO upstream_session (session_id, issuer, external_subject, external_session, expires_at)
        VALUES ($1, $2, $3, $4, $5)
        """

    /// Moves it to the session that took another's place.
    static let move: SQLStatement = "UPDATE upstream_session SET session_id = $2 WHERE session_id = $1"

    /// What a logout token names: users and their sessions.
    static func living(namedBy token: LogoutToken, at now: Timestamp) -> SQLCall {
        let issuer = SQLValue.text(token.issuer)
        return switch token.reach {
        case .user(let user): SQLCall(ofUser, [issuer, .text(user), SQLValue(now)])
        case .session(let session, of: nil): SQLCall(ofSession, [issuer, .text(session), SQLValue(now)])
        case .session(let session, of: let user?):
            SQLCall(ofUserInSession, [issuer, .text(user), SQLValue(now), .text(session)])
        }
    }

    static let ofUser = living("u.external_subject = $2")
    static let ofSession = living("u.external_session = $2")
    static let ofUserInSession = living(
        "u.external_subject = $2 AND (u.external_session = $4 OR u.external_session IS NULL)")

    /// Also one whose place in its browser another has taken, while anything lives that was granted in it, or where the
    /// browser had gone on from it: something there may live.
    private static func living(_ condition: String) -> SQLStatement {
        SQLStatement(
            """
            SELECT w.subject, w.id FROM upstream_session u JOIN web_session w ON w.id = u.session_id
            WHERE u.issuer = $1 AND \(condition) AND w.expires_at > $3 AND (w.ended_at IS NULL
                OR EXISTS (SELECT 1 FROM app_session a WHERE a.granted_in = w.id AND a.ended_at IS NULL)
                OR EXISTS (SELECT 1 FROM web_session h WHERE h.handed_from = w.id)
                OR EXISTS (SELECT 1 FROM authorization_code c WHERE c.granted_in = w.id AND c.redeemed_at IS NULL))
            ORDER BY w.id
            """)
    }

    static let purge = ExpiredRows(of: "upstream_session", by: "session_id")
}
