import Bridge

/// Is told before each step of a migration how many are done, and how many there are.
package typealias MigrationReport = @Sendable (_ done: Int, _ total: Int) -> Void

/// Brings a database's tables up to date, forward only, in one transaction.
struct Migrator {
    let dialect: SQLDialect
    var migrations = Migration.all
    var report: MigrationReport = { _, _ in }

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

    /// The steps that a database lacks, in order.
    /// - Throws: ``NewerSchemaError``; ``SQLError`` for a database that never had a step.
    func missing(_ session: any SQLSession) throws -> [Migration] {
        let applied = Set(try session.run("SELECT version FROM schema_migration").map { try $0.integer(0) })
        let known = migrations.last?.version ?? 0
        if let newest = applied.max(), newest > known { throw NewerSchemaError(found: newest, known: known) }
        return migrations.filter { !applied.contains($0.version) }
    }

    private func run(_ session: any SQLSession, at now: Timestamp) throws {
        _ = try session.run(
            SQLStatement(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    version BIGINT NOT NULL PRIMARY KEY, name \(dialect.text) NOT NULL, applied_at BIGINT NOT NULL)
                """))
        let steps = try missing(session)
        for (done, migration) in steps.enumerated() {
            report(done, steps.count)
            for statement in migration.statements(dialect) { _ = try session.run(statement) }
            _ = try session.run(
                "INSERT INTO schema_migration (version, name, applied_at) VALUES ($1, $2, $3)",
                [.integer(migration.version), .text(migration.name), SQLValue(now)])
        }
    }
}
