package import Bridge
import OAuth2

extension DurableStorage: PasskeyStore {
    package func passkey(_ mark: String) async throws -> Passkey? {
        try await read { session in
            try session.run(PasskeySQL.byMark, [.text(mark)]).first.map(Passkey.init(row:))
        }
    }

    package func passkeys(of subject: Subject) async throws -> [Passkey] {
        try await read { session in
            try session.run(PasskeySQL.ofSubject, [SQLValue(subject)]).map(Passkey.init(row:))
        }
    }

    package func add(
        _ passkey: Passkey, for challenge: UsedChallenge, in session: SessionID, event: AuditEvent
    ) async throws -> PasskeyAdding {
        try await write { [heldWebSession, heldStanding] transaction in
            // Held first: when two pages each add the user's last one, the second sees what the first did.
            guard try transaction.changes(AccountSQL.hold, [SQLValue(passkey.subject)]),
                let standing = try transaction.run(heldStanding, [SQLValue(passkey.subject)]).first,
                try standing.optionalTimestamp(0) == nil,
                try transaction.holds(session, by: heldWebSession)
            else { return .sessionEnded }
            let handles = try transaction.run(PasskeySQL.handles, [SQLValue(passkey.subject)]).map { try $0.text(0) }
            guard handles.count < Passkey.limit else { return .tooMany }
            guard handles.allSatisfy({ $0 == passkey.userHandle }) else { return .anotherHandle }
            guard try transaction.useUp(challenge) else { return .challengeUsed }
            guard try transaction.changes(PasskeySQL.insert, passkey.columns) else {
                throw Withdrawn(outcome: PasskeyAdding.taken)
            }
            try transaction.record(event)
            return .added
        }
    }

    package func removePasskey(_ mark: String, of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(PasskeySQL.delete, [.text(mark), SQLValue(subject)]) else { return false }
            try transaction.record(event)
            return true
        }
    }

    package func hasUsed(_ challenge: UsedChallenge) async throws -> Bool {
        try await read { session in
            try !session.run(
                PasskeySQL.usedChallenge, [.text(challenge.digest), SQLValue(challenge.madeAfter)]
            ).isEmpty
        }
    }

    package func purgeChallenges(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(PasskeySQL.purge, before: cutoff, limit: limit)
    }
}

extension WriteTransaction {
    /// Notes the use of a passkey by its user.
    /// - Returns: whether it counts: the passkey is there, its count goes on, and the challenge was not answered yet.
    func use(_ use: PasskeyUse, by subject: Subject, at now: Timestamp) throws -> Bool {
        guard try useUp(use.challenge) else { return false }
        return try changes(
            PasskeySQL.use, [.text(use.mark), SQLValue(subject), .integer(use.signCount), SQLValue(now)])
    }

    /// - Returns: whether this is the first use.
    fileprivate func useUp(_ challenge: UsedChallenge) throws -> Bool {
        try changes(
            PasskeySQL.useChallenge,
            [.text(challenge.digest), SQLValue(challenge.expiresAt), SQLValue(challenge.madeAfter)])
    }
}

extension Passkey {
    fileprivate var columns: [SQLValue] {
        [
            .text(mark), SQLValue(subject), .text(relyingParty), .text(credentialID), .text(algorithm.rawValue),
            .text(publicKey), .text(userHandle), .text(name), .integer(signCount), SQLValue(createdAt),
            SQLValue(lastUsedAt),
        ]
    }

    fileprivate init(row: SQLRow) throws {
        self.init(
            mark: try row.text(0), subject: try row.identifier(1), relyingParty: try row.text(2),
            credentialID: try row.text(3), algorithm: try row.word(4), publicKey: try row.text(5),
            userHandle: try row.text(6), name: try row.text(7), signCount: try row.integer(8),
            createdAt: try row.timestamp(9), lastUsedAt: try row.optionalTimestamp(10))
    }
}

/// The statements about passkeys.
enum PasskeySQL {
    private static let columns = """
        mark, subject, relying_party, credential_id, algorithm, public_key, user_handle, name, sign_count, created_at, \
        last_used_at
        """

    static let byMark = SQLStatement("SELECT \(columns) FROM passkey WHERE mark = $1")
    static let ofSubject = SQLStatement(
        "SELECT \(columns) FROM passkey WHERE subject = $1 ORDER BY created_at, mark")
    static let handles: SQLStatement = "SELECT user_handle FROM passkey WHERE subject = $1"
    static let insert = SQLStatement(
        """
        INSERT INTO passkey (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING
        """)
    static let delete: SQLStatement = "DELETE FROM passkey WHERE mark = $1 AND subject = $2"

    /// An authenticator that counts must count on (Web Authentication §6.1.1); one that does not says 0 for ever.
    static let use: SQLStatement = """
        UPDATE passkey SET sign_count = $3, last_used_at = $4
        WHERE mark = $1 AND subject = $2 AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))
        """

    /// A row is the memory of a use. Where the database was restored at `$3` or later, it may have lost it.
    static let useChallenge: SQLStatement = """
        INSERT INTO passkey_challenge (digest, expires_at) SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT)
        WHERE NOT EXISTS (SELECT 1 FROM restore_point WHERE restored_at >= $3) ON CONFLICT DO NOTHING
        """
    static let usedChallenge: SQLStatement = """
        SELECT digest FROM passkey_challenge WHERE digest = $1
        UNION ALL SELECT CAST('' AS TEXT) FROM restore_point WHERE restored_at >= $2
        """
    static let purge = ExpiredRows(of: "passkey_challenge", by: "digest")
}
