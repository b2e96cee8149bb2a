import Bridge

/// Brings a database's tables up to date, forward only, in one transaction.
struct Migrator {
    let dialect: SQLDialect
    var migrations = Migration.all

    /// - Throws: ``NewerSchemaError`` for a database that a newer program has changed; nothing is touched then.
    func migrate(_ session: any SQLSession, at now: Timestamp) throws {
        try session.begin()
        do {
            for statement in dialect.beforeMigration { _ = try session.run(statement) }
            try run(session, at: now)
            try session.commit()
        } catch {
            session.rollback()
            throw error
        }
    }

    /// 0 for a database without any step.
    static func currentVersion(_ session: any SQLSession) throws -> Int64 {
        try session.run("SELECT max(version) FROM schema_migration").first?.optionalInteger(0) ?? 0
    }

    private func run(_ session: any SQLSession, at now: Timestamp) throws {
        _ = try session.run(
            SQLStatement(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    version BIGINT NOT NULL PRIMARY KEY, name \(dialect.text) NOT NULL, applied_at BIGINT NOT NULL)
                """))
        let current = try Self.currentVersion(session)
        let known = migrations.last?.version ?? 0
        guard current <= known else { throw NewerSchemaError(found: current, known: known) }
        for migration in migrations where migration.version > current {
            for statement in migration.statements(dialect) { _ = try session.run(statement) }
            _ = try session.run(
                "INSERT INTO schema_migration (version, name, applied_at) VALUES ($1, $2, $3)",
                [.integer(migration.version), .text(migration.name), SQLValue(now)])
        }
    }
}
