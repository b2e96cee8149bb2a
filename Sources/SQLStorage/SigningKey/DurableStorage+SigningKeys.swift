package import Bridge
import OAuth2

extension DurableStorage: SigningKeyStore {
    package func signingKeys() async throws -> [SealedSigningKey] {
        try await read { session in try session.run(SigningKeySQL.all).map(SealedSigningKey.init(row:)) }
    }

    package func addFirstSigningKey(_ key: SealedSigningKey, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            let claim: [SQLValue] = [.text(key.algorithm.rawValue), .text(key.id)]
            guard try transaction.changes(SigningKeySQL.claimFirst, claim) else { return false }
            _ = try transaction.changes(SigningKeySQL.insert, key.columns)
            try transaction.record(event)
            return true
        }
    }

    package func addSigningKey(
        _ key: SealedSigningKey, retiringOthersAt retirement: Timestamp, event: AuditEvent
    ) async throws {
        try await write { transaction in
            _ = try transaction.changes(SigningKeySQL.insert, key.columns)
            _ = try transaction.changes(
                SigningKeySQL.retireOthers, [.text(key.id), .text(key.algorithm.rawValue), SQLValue(retirement)])
            try transaction.record(event)
        }
    }

    package func purgeSigningKeys(retiredBefore cutoff: Timestamp) async throws -> [String] {
        try await write { transaction in
            try transaction.run(SigningKeySQL.purge, [SQLValue(cutoff)]).map { try $0.text(0) }
        }
    }
}

extension SealedSigningKey {
    fileprivate var columns: [SQLValue] {
        [
            .text(id), .text(algorithm.rawValue), .text(sealedKey), .text(publicKey.text), SQLValue(createdAt),
            SQLValue(signsFrom), SQLValue(retiresAt),
        ]
    }

    fileprivate init(row: SQLRow) throws {
        guard let publicKey = JSONValue.parse(try row.text(3).utf8), publicKey.object != nil else {
            throw StorageError.corrupt("a signing key's public part is not a JSON object")
        }
        self.init(
            id: try row.text(0), algorithm: try row.word(1), sealedKey: try row.text(2), publicKey: publicKey,
            createdAt: try row.timestamp(4), signsFrom: try row.timestamp(5),
            retiresAt: try row.optionalTimestamp(6))
    }
}
