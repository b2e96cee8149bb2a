package import Bridge
import OAuth2

extension DurableStorage: AdminSessionStore {
    package func open(_ session: AdminSession, event: AuditEvent) async throws {
        try await write { transaction in
            _ = try transaction.run(
                AdminSessionSQL.insert,
                [
                    .text(session.secretDigest), .text(session.actor.description), SQLValue(session.createdAt),
                    SQLValue(session.expiresAt), SQLValue(session.lastSeenAt), SQLValue(session.credential.tokenID),
                    SQLValue(session.credential.clientID), SQLValue(session.credential.sessionID),
                    SQLValue(session.credential.signedInAt), SQLValue(session.credential.epoch),
                ])
            try transaction.record(event)
        }
    }

    package func adminSession(secretDigest: String) async throws -> AdminSession? {
        try await look { session in
            try session.run(AdminSessionSQL.select, [.text(secretDigest)]).first.flatMap { row in
                // A session opened by an earlier version names nothing that could end it.
                guard let tokenID: TokenID = try row.optionalIdentifier(5),
                    let clientID: ClientID = try row.optionalIdentifier(6)
                else { return nil }
                guard let actor = AdminActor(try row.text(1)) else {
                    throw StorageError.corrupt("an administrator's session names nobody")
                }
                let createdAt = try row.timestamp(2)
                return AdminSession(
                    secretDigest: try row.text(0), actor: actor,
                    credential: AdminCredential(
                        tokenID: tokenID, clientID: clientID, sessionID: try row.optionalIdentifier(7),
                        signedInAt: try row.optionalTimestamp(8), epoch: try row.optionalTimestamp(9) ?? createdAt),
                    createdAt: createdAt, expiresAt: try row.timestamp(3), lastSeenAt: try row.timestamp(4))
            }
        }
    }

    package func touchAdminSession(_ secretDigest: String, at now: Timestamp) async throws {
        try await write { transaction in
            _ = try transaction.changes(AdminSessionSQL.touch, [.text(secretDigest), SQLValue(now)])
        }
    }

    package func endAdminSession(_ secretDigest: String, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(AdminSessionSQL.delete, [.text(secretDigest)]) else { return false }
            try transaction.record(event)
            return true
        }
    }

    package func purgeAdminSessions(expiredBefore cutoff: Timestamp) async throws {
        let isAnyDue = try await read { session in
            try !session.run(AdminSessionSQL.anyExpired, [SQLValue(cutoff)]).isEmpty
        }
        guard isAnyDue else { return }
        try await writeUpkeep { transaction in
            _ = try transaction.changes(AdminSessionSQL.purge, [SQLValue(cutoff)])
        }
    }
}

/// Ends of what the console's sessions hang on; each end is recorded for itself.
extension WriteTransaction {
    /// - Parameter template: the event that it comes with.
    func endAdminSessions(of subject: Subject, _ template: AuditEvent) throws {
        try endAdminSessions(
            AdminSessionSQL.deleteOfActor, .text(AdminActor.account(subject).description), template: template)
    }

    func endAdminSessions(of client: ClientID, _ template: AuditEvent) throws {
        try endAdminSessions(AdminSessionSQL.deleteOfClient, SQLValue(client), template: template)
    }

    func endAdminSessions(openedBy token: TokenID, _ template: AuditEvent) throws {
        try endAdminSessions(AdminSessionSQL.deleteOfToken, SQLValue(token), template: template)
    }

    /// All of them.
    func endAdminSessions(_ template: AuditEvent) throws {
        try endAdminSessions(AdminSessionSQL.deleteAll, template: template)
    }

    private func endAdminSessions(_ delete: SQLStatement, _ ground: SQLValue..., template: AuditEvent) throws {
        for row in try run(delete, ground) {
            try record(
                AuditEvent(
                    at: template.at, type: .adminSignedOut, outcome: .success,
                    reason: template.reason ?? template.type.rawValue, clientID: try row.optionalIdentifier(1),
                    tokenID: try row.optionalIdentifier(2),
                    detail: Self.detail(actor: try row.text(0)).finishedText()))
        }
    }

    private static func detail(actor: String) -> JSONObjectWriter {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.actor, actor)
        return detail
    }
}

/// The statements about the console's sessions.
private enum AdminSessionSQL {
    private static let columns = """
        secret_digest, actor, created_at, expires_at, last_seen_at, token_id, client_id, session_id, signed_in_at, \
        admin_epoch
        """
    static let insert = SQLStatement(
        "INSERT INTO admin_session (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
    static let select = SQLStatement("SELECT \(columns) FROM admin_session WHERE secret_digest = $1")
    static let deleteAll: SQLStatement = "DELETE FROM admin_session RETURNING actor, client_id, token_id"
    static let deleteOfActor: SQLStatement = """
        DELETE FROM admin_session WHERE actor = $1 RETURNING actor, client_id, token_id
        """
    static let deleteOfClient: SQLStatement = """
        DELETE FROM admin_session WHERE client_id = $1 RETURNING actor, client_id, token_id
        """
    static let deleteOfToken: SQLStatement = """
        DELETE FROM admin_session WHERE token_id = $1 RETURNING actor, client_id, token_id
        """
    static let touch: SQLStatement = """
        UPDATE admin_session SET last_seen_at = $2 WHERE secret_digest = $1 AND last_seen_at < $2
        """
    static let delete: SQLStatement = "DELETE FROM admin_session WHERE secret_digest = $1"
    static let anyExpired: SQLStatement = "SELECT 1 FROM admin_session WHERE expires_at < $1 LIMIT 1"
    static let purge: SQLStatement = "DELETE FROM admin_session WHERE expires_at < $1"
}
