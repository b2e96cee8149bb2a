package import Bridge

/// The statements about settings.
enum SettingSQL {
    static let select: SQLStatement = "SELECT value FROM setting WHERE name = $1"
    static let save: SQLStatement = """
        INSERT INTO setting (name, value, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        """
    static let delete: SQLStatement = "DELETE FROM setting WHERE name = $1"
}

extension DurableStorage {
    package func setting(_ name: String) async throws -> String? {
        try await look { session in
            try session.run(SettingSQL.select, [.text(name)]).first?.text(0)
        }
    }

    package func saveSetting(_ name: String, _ value: String?, at now: Timestamp, event: AuditEvent) async throws {
        try await write { transaction in
            if let value {
                try transaction.run(SettingSQL.save, [.text(name), .text(value), SQLValue(now)])
            } else {
                try transaction.run(SettingSQL.delete, [.text(name)])
            }
            try transaction.record(event)
        }
    }
}
