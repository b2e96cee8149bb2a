package import Bridge
import OAuth2

extension DurableStorage: LinkedKeyStore {
    package func linkedKey(_ thumbprint: String) async throws -> LinkedKey? {
        try await read { session in
            try session.run(LinkedKeySQL.byThumbprint, [.text(thumbprint)]).first.map(LinkedKey.init(row:))
        }
    }

    package func linkedKeys(of subject: Subject) async throws -> [LinkedKey] {
        try await read { session in
            try session.run(LinkedKeySQL.ofSubject, [SQLValue(subject)]).map(LinkedKey.init(row:))
        }
    }

    package func link(_ key: LinkedKey, in session: LinkingSession?, event: AuditEvent) async throws -> Linking {
        try await write { [heldWebSession, heldAppSession] transaction in
            let isHeld =
                switch session {
                case .browser(let id): try transaction.holds(id, by: heldWebSession)
                case .app(let id): try transaction.holds(id, by: heldAppSession)
                case nil: true
                }
            guard isHeld else { return .sessionEnded }
            guard try transaction.changes(LinkedKeySQL.insert, key.columns) else { return .taken }
            try transaction.record(event)
            return .linked
        }
    }

    package func addAccount(
        _ account: Account, issuer: String, key: LinkedKey, events: [AuditEvent]
    ) async throws -> Bool {
        try await write { transaction in
            // Of two requests with one key the second waits here, and finds it taken.
            guard try transaction.changes(LinkedKeySQL.insert, key.columns) else { return false }
            let user: [SQLValue] = [SQLValue(account.subject), .text(issuer), SQLValue(account.createdAt)]
            _ = try transaction.run(SubjectSQL.insert, user)
            guard try transaction.changes(AccountSQL.insert, account.columns) else {
                throw StorageError.corrupt("a new account's subject is taken")
            }
            for event in events { try transaction.record(event) }
            return true
        }
    }

    package func unlink(
        _ thumbprint: String, of subject: Subject, sparing spared: SessionID?, _ ending: Ending, event: AuditEvent
    ) async throws -> Unlinking {
        try await write { [endings] transaction in
            // Held first: when two each leave the other's key, the second sees what the first did.
            _ = try transaction.changes(AccountSQL.hold, [SQLValue(subject)])
            // Ahead of key and sessions, as wherever a key signs in, and wherever something is hung below a device.
            _ = try transaction.changes(SubjectSQL.hold, [SQLValue(subject)])
            guard
                try transaction.changes(
                    LinkedKeySQL.revoke, [.text(thumbprint), SQLValue(subject), SQLValue(ending.at)])
            else { return .unknown }
            guard try !transaction.run(LinkedKeySQL.waysIn, [SQLValue(subject)]).isEmpty else {
                throw Withdrawn(outcome: Unlinking.lastWayIn)
            }
            try transaction.record(event)
            return .unlinked(try transaction.endKeySessions(of: subject, sparing: spared, ending, by: endings))
        }
    }
}

extension WriteTransaction {
    /// Ends what was signed in with a key, whichever: who has the phone has its sessions. A grant is found by how its
    /// user signed in, because the session that it resulted from may have ended long ago, or another taken its place.
    fileprivate func endKeySessions(
        of subject: Subject, sparing spared: SessionID?, _ ending: Ending, by sql: EndingSQL
    ) throws -> Ended {
        // Codes first: one that is being redeemed elsewhere is waited for, and its session then found.
        let signedIn = try run(LinkedKeySQL.webSessions, [SQLValue(subject), SQLValue(ending.at)])
            .map { try WebSession(row: $0) }.filter(\.authentication.isByKey).map(\.id)
        try deleteCodes(below: signedIn, takingInherited: true, by: sql)
        var ended = Ended.nothing
        for session in try run(LinkedKeySQL.webSessions, [SQLValue(subject), SQLValue(ending.at)])
            .map({ try WebSession(row: $0) })
        where session.id != spared && session.endedAt == nil && session.authentication.isByKey {
            ended = try ended + end(.webSession(session.id), ending, by: sql)
        }
        for session in try run(LinkedKeySQL.appSessions, [SQLValue(subject), SQLValue(ending.at)])
            .map({ try AppSession(row: $0) })
        where session.authentication.isByKey {
            ended = try ended + end(.appSession(session.id), ending, by: sql)
        }
        // Once all of them are over: who is signed in on a device then came by no key.
        var theft = ending
        theft.extent = .stolen
        for session in try run(LinkedKeySQL.givenSecrets, [SQLValue(subject), SQLValue(ending.at)])
            .map({ try AppSession(row: $0) })
        where session.authentication.isByKey {
            ended = try ended + end(.appSession(session.id), theft, by: sql)
        }
        return ended
    }
}

extension Authentication {
    fileprivate var isByKey: Bool { amr.contains(Self.selfIssued) }
}

extension DurableStorage: SelfIssuedTransactionStore {
    package func keepSelfIssued(
        _ record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) async throws {
        try await write { writing in
            _ = try writing.changes(
                SelfIssuedSQL.insert,
                [.text(digest), .text(record.text), SQLValue(record.expiresAt)])
        }
    }

    package func replaceSelfIssued(
        with record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) async throws -> Bool {
        try await write { transaction in
            try transaction.changes(
                SelfIssuedSQL.replace,
                [.text(digest), .text(record.text), SQLValue(record.expiresAt), SQLValue(now)])
        }
    }

    package func takeSelfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord? {
        try await write { transaction in
            try Self.alive(transaction.run(SelfIssuedSQL.take, [.text(digest)]), at: now)
        }
    }

    package func selfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord? {
        try await read { session in try Self.alive(session.run(SelfIssuedSQL.select, [.text(digest)]), at: now) }
    }

    package func purgeSelfIssued(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(SelfIssuedSQL.purge, before: cutoff, limit: limit)
    }

    private static func alive(_ rows: [SQLRow], at now: Timestamp) throws -> SelfIssuedRecord? {
        guard let row = rows.first, let record = SelfIssuedRecord(kept: try row.text(0)) else { return nil }
        return now < record.expiresAt ? record : nil
    }
}

extension LinkedKey {
    fileprivate var columns: [SQLValue] {
        [
            .text(thumbprint), SQLValue(subject), .text(algorithm.rawValue), .text(origin.rawValue),
            SQLValue(createdAt), SQLValue(lastUsedAt), SQLValue(revokedAt), SQLValue(told.name), SQLValue(told.email),
        ]
    }

    fileprivate init(row: SQLRow) throws {
        self.init(
            thumbprint: try row.text(0), subject: try row.identifier(1), algorithm: try row.word(2),
            origin: try row.word(3), createdAt: try row.timestamp(4), lastUsedAt: try row.optionalTimestamp(5),
            revokedAt: try row.optionalTimestamp(6),
            told: Told(name: try row.optionalText(7), email: try row.optionalText(8)))
    }
}

/// The statements about phones' keys.
enum LinkedKeySQL {
    private static let columns =
        "thumbprint, subject, algorithm, origin, created_at, last_used_at, revoked_at, told_name, told_email"

    static let byThumbprint = SQLStatement("SELECT \(columns) FROM linked_key WHERE thumbprint = $1")
    static let ofSubject = SQLStatement(
        """
        SELECT \(columns) FROM linked_key WHERE subject = $1 AND revoked_at IS NULL ORDER BY created_at, thumbprint
        """)

    static let insert = SQLStatement(
        "INSERT INTO linked_key (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING")

    static let use: SQLStatement = """
        UPDATE linked_key SET last_used_at = $3 WHERE thumbprint = $1 AND subject = $2 AND revoked_at IS NULL
        """

    static let revoke: SQLStatement = """
        UPDATE linked_key SET revoked_at = $3 WHERE thumbprint = $1 AND subject = $2 AND revoked_at IS NULL
        """

    /// Those that have not expired, ended ones included: what hangs under them may go on.
    static let webSessions = SQLStatement(
        "SELECT \(WebSessionSQL.columns) FROM web_session WHERE subject = $1 AND +expires_at > $2 ORDER BY id")
    static let appSessions = SQLStatement(
        """
        SELECT \(AppSessionSQL.columns) FROM app_session
        WHERE subject = $1 AND ended_at IS NULL AND +expires_at > $2 ORDER BY id
        """)

    /// The app sessions, over or not, that the user's live devices were given a secret in.
    static let givenSecrets = SQLStatement(
        """
        SELECT \(AppSessionSQL.columns) FROM app_session
        WHERE subject = $1 AND id IN (
            SELECT COALESCE(v.session_id, d.session_id)
            FROM device_secret d JOIN device_secret_digest v ON v.device_secret_id = d.id
            WHERE d.subject = $1 AND d.revoked_at IS NULL AND +d.expires_at > $2)
        ORDER BY id
        """)

    /// What a user could sign in with.
    static let waysIn: SQLStatement = """
        SELECT subject FROM account WHERE subject = $1 AND (password_hash IS NOT NULL
            OR EXISTS (SELECT 1 FROM upstream_identity WHERE upstream_identity.subject = account.subject)
            OR EXISTS (SELECT 1 FROM linked_key
                WHERE linked_key.subject = account.subject AND linked_key.revoked_at IS NULL))
        """
}

/// The statements about sign-ins that wait for a phone.
enum SelfIssuedSQL {
    static let insert: SQLStatement = """
        INSERT INTO self_issued_transaction (digest, content, expires_at) VALUES ($1, $2, $3)
        """
    static let replace: SQLStatement = """
        UPDATE self_issued_transaction SET content = $2, expires_at = $3
        WHERE digest = $1 AND expires_at > $4 AND expires_at >= $3
        """
    static let take: SQLStatement = "DELETE FROM self_issued_transaction WHERE digest = $1 RETURNING content"
    static let select: SQLStatement = "SELECT content FROM self_issued_transaction WHERE digest = $1"
    static let purge = ExpiredRows(of: "self_issued_transaction", by: "digest")
}
