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
            let known = try transaction.run(ConsentSQL.select, [SQLValue(subject), SQLValue(client)]).first
            let all = scopes.union(try known.map(Self.scopes) ?? []).sorted().joined(separator: " ")
            _ = try transaction.changes(
                ConsentSQL.save, [SQLValue(subject), SQLValue(client), .text(all), SQLValue(now)])
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

    static let save: SQLStatement = """
        INSERT INTO consent (subject, client_id, scope, granted_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (subject, client_id) DO UPDATE SET scope = excluded.scope, granted_at = excluded.granted_at
        """
}
