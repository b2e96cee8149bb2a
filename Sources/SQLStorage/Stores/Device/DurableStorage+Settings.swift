package import Bridge

/// The statements about settings.
enum SettingSQL {
    static let select: SQLStatement = "SELECT value FROM setting WHERE name = $1"

    // Each of these writes nothing unless it finds what the caller has seen: nothing, `$4`, `$2`.

    static let insert: SQLStatement = """
        INSERT INTO setting (name, value, updated_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING
        """
    static let updateUnchanged: SQLStatement = """
        UPDATE setting SET value = $2, updated_at = $3 WHERE name = $1 AND value = $4
        """
    static let deleteUnchanged: SQLStatement = "DELETE FROM setting WHERE name = $1 AND value = $2"
}

extension DurableStorage {
    package func setting(_ name: String) async throws -> String? {
        try await look { session in
            try session.run(SettingSQL.select, [.text(name)]).first?.text(0)
        }
    }

    package func saveSetting(
        _ name: String, _ value: String?, seenAs seen: String?, at now: Timestamp, events: [AuditEvent]
    ) async throws -> Bool {
        let change =
            switch (value, seen) {
            case (let value?, nil): SQLCall(SettingSQL.insert, [.text(name), .text(value), SQLValue(now)])
            case (let value?, let seen?):
                SQLCall(SettingSQL.updateUnchanged, [.text(name), .text(value), SQLValue(now), .text(seen)])
            case (nil, let seen): SQLCall(SettingSQL.deleteUnchanged, [.text(name), SQLValue(seen)])
            }
        return try await write { transaction in
            guard try transaction.changes(change) else { return false }
            for event in events { try transaction.record(event) }
            return true
        }
    }
}
