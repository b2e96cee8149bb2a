package import Bridge
import Logging

/// The throwaway secrets of a demo that several processes run on one database (contract §15).
///
/// Each name has one value for ever: the one that was offered first.
package enum PostgresDemoMaterial {
    private static let insert: SQLStatement = """
        INSERT INTO demo_material (name, content) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
        """
    private static let select: SQLStatement = "SELECT content FROM demo_material WHERE name = $1"
    /// What of it there is, for an older version's database has less.
    private static let tables: SQLStatement = """
        SELECT known.word FROM (VALUES ('account'), ('client'), ('signing_key'), ('demo_material')) AS known (word)
        WHERE to_regclass(known.word) IS NOT NULL
        """

    /// Brings the tables up to date, offers values, and says which stand.
    ///
    /// Processes that start at the same time all get the same values.
    package static func settle(
        _ offers: [String: String], in address: PostgresAddress, at now: Timestamp
    ) async throws(PostgresOpenError) -> [String: String] {
        try await PostgresStorage.migrate(address, at: now)
        return try await onServer(address) { session in
            // In one order, so that two processes never wait for each other.
            for (name, content) in offers.sorted(by: { $0.key < $1.key }) {
                _ = try session.change(insert, [.text(name), .text(content)])
            }
            return try offers.keys.reduce(into: [:]) { $0[$1] = try stored($1, session) }
        }
    }

    /// Whether the database has accounts, clients or keys but never had this value: then it is not a demo's.
    ///
    /// Reads only. An empty database is still free.
    package static func isOthers(
        _ address: PostgresAddress, lacking name: String
    ) async throws(PostgresOpenError) -> Bool {
        try await onServer(address) { session in
            var found = try session.run(tables).map { try $0.text(0) }
            let hasMaterial = found.contains("demo_material")
            found.removeAll { $0 == "demo_material" }
            guard !found.isEmpty else { return false }
            let used = found.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")
            guard hasMaterial else {
                return try !session.run(SQLStatement("SELECT 1 WHERE \(used)", isRecurring: false)).isEmpty
            }
            // In one statement, so that it never sees a starting demo's account without its value.
            let others = "SELECT 1 WHERE (\(used)) AND NOT EXISTS (SELECT 1 FROM demo_material WHERE name = $1)"
            return try !session.run(SQLStatement(others, isRecurring: false), [.text(name)]).isEmpty
        }
    }

    /// A value that stands already.
    package static func value(_ name: String, in address: PostgresAddress) async throws(PostgresOpenError) -> String? {
        try await onServer(address) { try stored(name, $0) }
    }

    private static func stored(_ name: String, _ session: any SQLSession) throws -> String? {
        try session.run(select, [.text(name)]).first?.text(0)
    }

    private static func onServer<Value: Sendable>(
        _ address: PostgresAddress, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(PostgresOpenError) -> Value {
        let engine = PostgresEngine(
            address: address, node: nil, readers: 0, timeouts: .command, logger: .storage)
        defer { engine.close() }
        do {
            return try await engine.onWriterNow(body)
        } catch {
            throw PostgresStorage.openError(error, database: address.description)
        }
    }
}
