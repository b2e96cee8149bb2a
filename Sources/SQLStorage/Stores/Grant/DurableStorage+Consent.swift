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
}
