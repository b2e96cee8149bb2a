package import Bridge

extension DurableStorage: CrossDeviceStore {
    package func addCrossDevice(_ record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool {
        try await write { transaction in
            try transaction.changes(
                CrossDeviceSQL.add,
                [.text(record.key), .text(record.content), SQLValue(record.expiresAt), SQLValue(now)])
        }
    }

    package func crossDevice(_ key: String, at now: Timestamp) async throws -> CrossDeviceRecord? {
        try await read { session in
            try session.run(CrossDeviceSQL.select, [.text(key), SQLValue(now)]).first.map { row in
                CrossDeviceRecord(
                    key: key, version: try row.integer(0), content: try row.text(1), expiresAt: try row.timestamp(2))
            }
        }
    }

    package func replaceCrossDevice(with record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool {
        try await write { transaction in
            try transaction.changes(
                CrossDeviceSQL.replace,
                [
                    .text(record.key), .integer(record.version), .text(record.content), SQLValue(record.expiresAt),
                    SQLValue(now),
                ])
        }
    }

    package func removeCrossDevice(_ key: String) async throws {
        try await write { transaction in _ = try transaction.changes(CrossDeviceSQL.remove, [.text(key)]) }
    }

    /// All that have moved on, for all that wait: they are few, and one statement finds them.
    package func movedCrossDevices(among keys: Set<String>, at now: Timestamp) async throws -> [String: Int64] {
        try await read { session in
            var moved: [String: Int64] = [:]
            for row in try session.run(CrossDeviceSQL.moved, [SQLValue(now)]) {
                let key = try row.text(0)
                if keys.contains(key) { moved[key] = try row.integer(1) }
            }
            return moved
        }
    }

    package func purgeCrossDevices(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(CrossDeviceSQL.purge, before: cutoff, limit: limit)
    }
}

/// The statements about sign-ins across devices.
enum CrossDeviceSQL {
    static let add: SQLStatement = """
        INSERT INTO cross_device (record_key, version, content, expires_at) VALUES ($1, 0, $2, $3)
        ON CONFLICT (record_key) DO UPDATE SET version = 0, content = $2, expires_at = $3
        WHERE cross_device.expires_at <= $4
        """

    static let select: SQLStatement = """
        SELECT version, content, expires_at FROM cross_device WHERE record_key = $1 AND expires_at > $2
        """

    static let replace: SQLStatement = """
        UPDATE cross_device SET version = $2, content = $3, expires_at = $4
        WHERE record_key = $1 AND version = $2 - 1 AND expires_at > $5
        """

    static let remove: SQLStatement = "DELETE FROM cross_device WHERE record_key = $1"

    static let moved: SQLStatement =
        "SELECT record_key, version FROM cross_device WHERE version > 0 AND expires_at > $1"

    static let purge = ExpiredRows(of: "cross_device", by: "record_key")
}
