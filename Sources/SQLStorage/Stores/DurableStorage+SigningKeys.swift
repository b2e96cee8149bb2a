package import Bridge
import OAuth2

extension DurableStorage: SigningKeyStore {
    package func signingKeysNumber() async throws -> Int64 {
        try await look { session in try session.run(SigningKeySQL.number).first?.integer(0) ?? 0 }
    }

    package func signingKeys() async throws -> StoredSigningKeys {
        try await read { session in
            // In this order: keys that are younger than their number make a change fail, never one get lost.
            let number = try session.run(SigningKeySQL.number).first?.integer(0) ?? 0
            return StoredSigningKeys(
                number: number, keys: try session.run(SigningKeySQL.all).map(SealedSigningKey.init(row:)))
        }
    }

    package func changeSigningKeys(
        _ change: SigningKeyChange, seenAs number: Int64, events: [AuditEvent]
    ) async throws -> Bool {
        let (next, isTooLarge) = number.addingReportingOverflow(1)
        guard !isTooLarge else {
            guard try await signingKeysNumber() == number else { return false }
            throw StorageError.corrupt("no number follows that of the last change of the keys")
        }
        return try await write { transaction in
            let isFirst =
                number == 0
                ? try transaction.changes(SigningKeySQL.claimFirst, [])
                : try transaction.changes(SigningKeySQL.claimNext, [.integer(number)])
            guard isFirst else { return false }
            for key in change.saved {
                _ = try transaction.changes(SigningKeySQL.save, key.columns(addedIn: next))
            }
            for id in change.removed { _ = try transaction.changes(SigningKeySQL.remove, [.text(id)]) }
            for event in events { try transaction.record(event) }
            // The console's sessions do not say which key signed their tokens, so all of them end: a token is believed
            // by any key that is published.
            if change.saved.contains(where: { $0.algorithm.published != nil && $0.withdrawnAt != nil }),
                let retirement = events.first(where: { $0.type == .keyRetired })
            {
                try transaction.endAdminSessions(retirement)
            }
            transaction.announceKeyChange()
            return true
        }
    }

    package func noteSigningKeys(_ number: Int64, knownTo node: String, at now: Timestamp) async throws {
        try await write { transaction in
            _ = try transaction.changes(SigningKeySQL.note, [.text(node), .integer(number), SQLValue(now)])
        }
    }

    package func forgetSigningKeys(knownTo node: String) async throws {
        try await write { transaction in _ = try transaction.changes(SigningKeySQL.forget, [.text(node)]) }
    }

    package func signingKeyNumbers(notedSince instant: Timestamp) async throws -> [String: Int64] {
        try await read { session in
            try session.run(SigningKeySQL.notedSince, [SQLValue(instant)]).reduce(into: [:]) { numbers, row in
                numbers[try row.text(0)] = try row.integer(1)
            }
        }
    }
}

extension SealedSigningKey {
    fileprivate func columns(addedIn number: Int64) -> [SQLValue] {
        [
            .text(id), .text(algorithm.rawValue), .text(sealedKey), .text(publicKey.text), SQLValue(createdAt),
            SQLValue(signsFrom), .integer(signsWhenKnown ? 1 : 0), SQLValue(retiresAt), SQLValue(withdrawnAt),
            .integer(number),
        ]
    }

    fileprivate init(row: SQLRow) throws {
        guard let publicKey = JSONValue.parse(try row.text(3).utf8), publicKey.object != nil else {
            throw StorageError.corrupt("a signing key's public part is not a JSON object")
        }
        self.init(
            id: try row.text(0), algorithm: try row.word(1), sealedKey: try row.text(2), publicKey: publicKey,
            createdAt: try row.timestamp(4), signsFrom: try row.timestamp(5),
            signsWhenKnown: try row.integer(6) != 0, retiresAt: try row.optionalTimestamp(7),
            withdrawnAt: try row.optionalTimestamp(8), addedIn: try row.integer(9))
    }
}

/// The statements about the keys that sign tokens.
enum SigningKeySQL {
    static let all: SQLStatement = """
        SELECT id, algorithm, sealed_key, public_key, created_at, signs_from, signs_when_known, retires_at,
            withdrawn_at, added_in
        FROM signing_key ORDER BY created_at, id
        """

    static let number: SQLStatement = "SELECT number FROM signing_key_change"

    /// The first change, where there was none before.
    static let claimFirst: SQLStatement = """
        INSERT INTO signing_key_change (id, number) VALUES (1, 1) ON CONFLICT (id) DO NOTHING
        """

    /// The change after `$1`, unless it was made already. One that comes at the same time waits, and then loses.
    static let claimNext: SQLStatement = "UPDATE signing_key_change SET number = number + 1 WHERE number = $1"

    /// Where the key is there already, only its times change.
    static let save: SQLStatement = """
        INSERT INTO signing_key (id, algorithm, sealed_key, public_key, created_at, signs_from, signs_when_known,
            retires_at, withdrawn_at, added_in)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (id) DO UPDATE SET signs_from = excluded.signs_from, signs_when_known = excluded.signs_when_known,
            retires_at = excluded.retires_at, withdrawn_at = excluded.withdrawn_at
        """

    static let remove: SQLStatement = "DELETE FROM signing_key WHERE id = $1"

    static let note: SQLStatement = """
        INSERT INTO signing_key_holder (node, number, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (node) DO UPDATE SET number = excluded.number, seen_at = excluded.seen_at
        """

    static let forget: SQLStatement = "DELETE FROM signing_key_holder WHERE node = $1"

    static let notedSince: SQLStatement = "SELECT node, number FROM signing_key_holder WHERE seen_at >= $1"
}
