package import Bridge
import OAuth2

extension DurableStorage {
    package func databaseTime() async throws -> Timestamp? {
        guard dialect.isRemote else { return nil }
        return try await look { [dialect] session in try session.run(dialect.lease.now).first?.timestamp(0) }
    }

    /// Nodes that write to the database now, besides this process; always none where a file's locks say so.
    package func livingNodes() async throws -> [String] {
        guard dialect.lease.runsOut else { return [] }
        let node = try ownNode()
        return try await read { [dialect] session in
            guard let now = try session.run(dialect.lease.now).first?.integer(0) else { return [] }
            return try session.run(RestoreSQL.living, [.text(node), .integer(now)]).map { try $0.text(0) }
        }
    }

    /// Begins a new restore epoch: earlier login tokens, codes and requests are over (ADR-0030).
    /// - Parameters:
    ///   - actor: the person or program that restored the database, for the log.
    ///   - keepsSessions: whether those that are open stay so, also such as were ended since the backup.
    ///   - reason: why, for the log.
    package func recordRestore(
        by actor: AdminActor, at now: Timestamp, keepsSessions: Bool, reason: String?
    ) async throws -> RestoreReport {
        try await write { transaction in
            for call in RestoreCheck.raise(at: now) { _ = try transaction.change(call.statement, call.arguments) }
            var ended: [(name: String, count: Int)] = []
            if !keepsSessions {
                for statement in RestoreSQL.notices { _ = try transaction.change(statement, [SQLValue(now)]) }
                for (name, statement) in RestoreSQL.ends {
                    ended.append((name, try transaction.change(statement, [SQLValue(now)])))
                }
                _ = try transaction.change(RestoreSQL.endProofs, [SQLValue(now)])
            }
            var detail = JSONObjectWriter()
            for (name, count) in ended.sorted(by: { $0.name < $1.name }) { detail.add(name, Int64(count)) }
            detail.add(AuditDetail.actor, actor.description)
            if let reason { detail.add("said", reason) }
            var event = RestoreNotice(at: now, reason: .command).event
            event.detail = detail.finishedText()
            try transaction.record(event)
            // One event each, as whenever the ground of a console's session goes.
            if !keepsSessions { try transaction.endAdminSessions(event) }
            let left = keepsSessions ? [] : try transaction.run(RestoreSQL.keysLeft)
            return RestoreReport(
                ended: ended, keysLeft: try left.map { (subject: try $0.identifier(0), thumbprint: try $0.text(1)) })
        }
    }
}

extension RestoreSQL {
    /// What has to hear of the ends, before they are made; `$1` is now.
    static let notices: [SQLStatement] = [
        LogoutNoticeSQL.insertAllAppSessionEnds, LogoutNoticeSQL.insertAllWebSessionEnds,
        WebhookSQL.insertEnds(.appSessionEnded, of: "app_session", alive: "ended_at IS NULL", reason: reason),
        WebhookSQL.insertEnds(.webSessionEnded, of: "web_session", alive: "ended_at IS NULL", reason: reason),
        WebhookSQL.insertEnds(.deviceRevoked, of: "device_secret", alive: "revoked_at IS NULL", reason: reason),
    ]

    private static let reason = EndReason.restored.rawValue

    /// All that keeps users signed in, or that they could sign in with whatever happened to it since; `$1` is now.
    ///
    /// A phone's key may have been unlinked since. A user with another way in links it again; one without would lose
    /// the account.
    static let ends: [(name: String, statement: SQLStatement)] = [
        (
            "devices",
            SQLStatement(
                "UPDATE device_secret SET revoked_at = $1, revoke_reason = '\(reason)' WHERE revoked_at IS NULL")
        ),
        (
            "app_sessions",
            SQLStatement("UPDATE app_session SET ended_at = $1 WHERE \(AppSessionSQL.isAlive(at: "$1"))")
        ),
        ("web_sessions", "UPDATE web_session SET ended_at = $1 WHERE ended_at IS NULL AND expires_at > $1"),
        ("recovery_codes", "UPDATE recovery_code SET used_at = $1 WHERE used_at IS NULL"),
        // Each account has a password too, so a user who removed one loses nothing that a new one does not bring back.
        ("passkeys", "DELETE FROM passkey WHERE created_at <= $1"),
        (
            "phone_keys",
            """
            DELETE FROM linked_key WHERE revoked_at IS NULL AND created_at <= $1 AND subject IN (
                SELECT subject FROM account WHERE password_hash IS NOT NULL
                UNION SELECT subject FROM upstream_identity)
            """
        ),
    ]

    /// For every user an end (``Account/lastEnd``): the backup may be from before one, and would have brought back what
    /// had been worth nothing since, such as that a browser is known by two factors (ADR-0016).
    static let endProofs = SQLStatement(
        "UPDATE app_user SET login_tokens_void_until = \(EndingSQL.nextEnd(at: "$1"))")

    /// Phones' keys that are a user's only way in.
    static let keysLeft: SQLStatement = """
        SELECT subject, thumbprint FROM linked_key WHERE revoked_at IS NULL ORDER BY subject, thumbprint
        """
}
