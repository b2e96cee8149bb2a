package import Bridge

extension DurableStorage: AdminSessionStore {
    package func open(_ session: AdminSession, event: AuditEvent) async throws {
        try await write { transaction in
            _ = try transaction.run(
                AdminSessionSQL.insert,
                [
                    .text(session.secretDigest), .text(session.actor.description), SQLValue(session.createdAt),
                    SQLValue(session.expiresAt), SQLValue(session.lastSeenAt),
                ])
            try transaction.record(event)
        }
    }

    package func adminSession(secretDigest: String) async throws -> AdminSession? {
        try await read { session in
            try session.run(AdminSessionSQL.select, [.text(secretDigest)]).first.map { row in
                guard let actor = AdminActor(try row.text(1)) else {
                    throw StorageError.corrupt("an administrator's session names nobody")
                }
                return AdminSession(
                    secretDigest: try row.text(0), actor: actor, createdAt: try row.timestamp(2),
                    expiresAt: try row.timestamp(3), lastSeenAt: try row.timestamp(4))
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
        try await write { transaction in
            _ = try transaction.changes(AdminSessionSQL.purge, [SQLValue(cutoff)])
        }
    }
}

/// The statements about the console's sessions.
private enum AdminSessionSQL {
    static let insert: SQLStatement = """
        INSERT INTO admin_session (secret_digest, actor, created_at, expires_at, last_seen_at)
        VALUES ($1, $2, $3, $4, $5)
        """
    static let select: SQLStatement = """
        SELECT secret_digest, actor, created_at, expires_at, last_seen_at FROM admin_session WHERE secret_digest = $1
        """
    static let touch: SQLStatement = """
        UPDATE admin_session SET last_seen_at = $2 WHERE secret_digest = $1 AND last_seen_at < $2
        """
    static let delete: SQLStatement = "DELETE FROM admin_session WHERE secret_digest = $1"
    static let purge: SQLStatement = "DELETE FROM admin_session WHERE expires_at < $1"
}
