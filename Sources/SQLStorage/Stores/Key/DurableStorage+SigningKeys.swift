package import Bridge
import OAuth2

extension DurableStorage: SigningKeyStore {
    package func signingKeysNumber() async throws -> Int64 {
        try await read { session in try session.run(SigningKeySQL.number).first?.integer(0) ?? 0 }
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
            // The console's sessions do not say which key signed their tokens, so all of them end.
            if change.saved.contains(where: { $0.algorithm == .es256 && $0.withdrawnAt != nil }),
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
