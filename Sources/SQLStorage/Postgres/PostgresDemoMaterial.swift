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

    /// Brings the tables up to date, offers values, and says which stand.
    ///
    /// Of processes that start at the same time all get the same.
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
            address: address, node: nil, readers: 0, timeouts: .command, logger: Logger(label: "drawbridge.storage"))
        defer { engine.close() }
        do {
            return try await engine.onWriterNow(body)
        } catch {
            throw PostgresStorage.openError(error, database: address.description)
        }
    }
}
