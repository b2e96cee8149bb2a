package import Bridge

extension DurableStorage {
    package func consent(of subject: Subject, to client: ClientID) async throws -> Set<String>? {
        try await look { session in
            try session.run(ConsentSQL.select, [SQLValue(subject), SQLValue(client)]).first.map(Self.scopes)
        }
    }

    package func rememberConsent(
        of subject: Subject, to client: ClientID, scopes: Set<String>, at now: Timestamp, event: AuditEvent
    ) async throws {
        try await write { transaction in
            // Held from here on: when two nodes each add a scope, the second adds to what the first has kept.
            let known = try transaction.run(ConsentSQL.hold, [SQLValue(subject), SQLValue(client), SQLValue(now)]).first
            let all = scopes.union(try known.map(Self.scopes) ?? []).sorted().joined(separator: " ")
            _ = try transaction.changes(ConsentSQL.save, [SQLValue(subject), SQLValue(client), .text(all)])
            try transaction.record(event)
        }
    }

    package func consents(of subject: Subject) async throws -> [Consent] {
        try await read { session in
            try session.run(ConsentSQL.ofSubject, [SQLValue(subject)]).map { row in
                Consent(
                    clientID: try row.identifier(1), scopes: try Self.scopes(row), agreedAt: try row.timestamp(2))
            }
        }
    }

    package func forgetConsent(
        of subject: Subject, to client: ClientID, _ ending: Ending, event: AuditEvent
    ) async throws -> Ended? {
        guard !client.rawValue.utf8.contains(0) else { return nil }
        return try await write { [endings] transaction in
            // Held, so that what is being opened is found: not all of it comes by a code. What was allowed before this and
            // is opened after it goes on, and is on the user's list of devices.
            _ = try transaction.changes(SubjectSQL.hold, [SQLValue(subject)])
            guard try transaction.changes(ConsentSQL.forget, [SQLValue(subject), SQLValue(client)]) else { return nil }
            try transaction.record(event)
            return try transaction.end(.granted(to: client, of: subject), ending, by: endings)
        }
    }

    private static func scopes(_ row: SQLRow) throws -> Set<String> {
        Set(try row.text(0).split(separator: " ").map(String.init))
    }
}

/// The statements about consent.
enum ConsentSQL {
    static let select: SQLStatement = "SELECT scope FROM consent WHERE subject = $1 AND client_id = $2"

    /// Makes the row where there is none, without a scope, holds it for as long as the transaction runs, and gives the
    /// scopes that are in it.
    static let hold: SQLStatement = """
        INSERT INTO consent (subject, client_id, scope, granted_at) VALUES ($1, $2, '', $3)
        ON CONFLICT (subject, client_id) DO UPDATE SET granted_at = excluded.granted_at RETURNING scope
        """

    static let save: SQLStatement = "UPDATE consent SET scope = $3 WHERE subject = $1 AND client_id = $2"

    static let ofSubject: SQLStatement = """
        SELECT scope, client_id, granted_at FROM consent WHERE subject = $1 ORDER BY granted_at DESC, client_id
        """

    static let forget: SQLStatement = "DELETE FROM consent WHERE subject = $1 AND client_id = $2"

    /// The client's unredeemed codes of a user, in whichever session that lives.
    static let deleteCodes: SQLStatement = """
        DELETE FROM authorization_code WHERE client_id = $2 AND redeemed_at IS NULL AND browser_session_id IN (
            SELECT id FROM web_session WHERE subject = $1 AND +ended_at IS NULL AND +expires_at > $3)
        """

    /// The client's living sessions of a user, however they were opened.
    static let appSessions: SQLStatement = """
        SELECT id FROM app_session
        WHERE subject = $1 AND client_id = $2 AND ended_at IS NULL AND +expires_at > $3 ORDER BY id
        """
}
