package import Bridge

extension DurableStorage {
    package func open(
        _ session: AppSession, refreshToken: RefreshTokenRecord?, events: [AuditEvent]
    ) async throws -> AppSessionOpenOutcome {
        let standing = SQLCall(heldStanding, [SQLValue(session.subject)])
        let parent = session.parentID.map { SQLCall(heldAppSession, [SQLValue($0)]) }
        return try await write(anticipating: [standing, parent].compactMap(\.self)) { [heldStanding] transaction in
            guard try transaction.isActive(session.subject, by: heldStanding) else { return .subjectDisabled }
            if let parent {
                guard let row = try transaction.run(parent).first, try row.optionalTimestamp(0) == nil
                else { return .parentEnded }
            }
            try transaction.insert(session, refreshToken: refreshToken)
            for event in events { try transaction.record(event) }
            return .opened
        }
    }

    package func appSession(id: SessionID) async throws -> AppSession? {
        try await look { session in
            try session.run(AppSessionSQL.select, [SQLValue(id)]).first.map { try AppSession(row: $0) }
        }
    }

    package func appSessions(
        of subject: Subject, aliveAt now: Timestamp, before cursor: SessionID?, limit: Int
    ) async throws -> [AppSession] {
        try await read { session in
            let bounds: [SQLValue] = [SQLValue(subject), SQLValue(now), .limit(limit)]
            let rows =
                if let cursor {
                    try session.run(AppSessionSQL.aliveOfBefore, bounds + [SQLValue(cursor)])
                } else {
                    try session.run(AppSessionSQL.aliveOf, bounds)
                }
            return try rows.map { try AppSession(row: $0) }
        }
    }

    package func purgeAppSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge([RefreshTokenSQL.purge, AppSessionSQL.purge], before: cutoff, limit: limit).max() ?? 0
    }
}

/// The statements about app sessions.
enum AppSessionSQL {
    static let columns = """
        id, subject, client_id, scope, opening, auth_time, acr, amr, browser_session_id, device_secret_id, parent_id, \
        requested_claims, wants_logout_notice, created_at, expires_at, ended_at, granted_in, ancestry, \
        apps_above
        """

    static let insert = SQLStatement(
        """
        INSERT INTO app_session (\(columns))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
        """)

    static let select = SQLStatement("SELECT \(columns) FROM app_session WHERE id = $1")
    static let endedAt: SQLStatement = "SELECT ended_at FROM app_session WHERE id = $1"

    /// ``AppSession/isAlive(at:)``.
    /// - Parameters:
    ///   - now: what the time is called.
    ///   - table: what the table is called, where another has columns of these names.
    static func isAlive(at now: String, of table: String? = nil) -> String {
        let prefix = table.map { "\($0)." } ?? ""
        return "\(prefix)ended_at IS NULL AND \(prefix)expires_at > \(now)"
    }

    static let aliveOf = SQLStatement(
        """
        SELECT \(columns) FROM app_session WHERE subject = $1 AND \(isAlive(at: "$2"))
        ORDER BY created_at DESC, id DESC LIMIT $3
        """)
    static let aliveOfBefore = SQLStatement(
        """
        SELECT \(columns) FROM app_session
        WHERE subject = $1 AND \(isAlive(at: "$2"))
            AND (created_at, id) < (SELECT created_at, id FROM app_session WHERE id = $4)
        ORDER BY created_at DESC, id DESC LIMIT $3
        """)

    static let idsUnderDeviceSecret: SQLStatement = """
        SELECT id FROM app_session WHERE device_secret_id = $1 AND ended_at IS NULL ORDER BY id
        """

    /// The columns of ``PresentedDeviceSecret/Session``. By a digest of the device, so that whoever has a secret need
    /// not wait to be told whose it is.
    static let underDigest: SQLStatement = """
        SELECT id, subject, client_id, opening, scope, expires_at FROM app_session
        WHERE device_secret_id = (SELECT device_secret_id FROM device_secret_digest WHERE digest = $1)
            AND ended_at IS NULL ORDER BY id
        """

    static let purge = ExpiredRows(of: "app_session", by: "id")
}

extension WriteTransaction {
    /// Whether the user may have a session opened now; the answer holds until the commit.
    /// - Parameter held: ``DurableStorage/heldStanding``.
    func isActive(_ subject: Subject, by held: SQLStatement) throws -> Bool {
        try run(held, [SQLValue(subject)]).first?.optionalTimestamp(0) == nil
    }

    func insert(_ session: AppSession, refreshToken: RefreshTokenRecord?) throws {
        try submit(AppSessionSQL.insert, session.columns)
        if let refreshToken { try submit(RefreshTokenSQL.insert, refreshToken.columns) }
    }
}
