import Bridge
import BridgeTestSupport
import Logging
import Synchronization
import Testing

@testable import SQLStorage

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// An empty database for one test, and every handle that the test opened on it.
final class PostgresDatabase: Sendable {
    let server: PostgresServer
    let address: PostgresAddress
    private let opened = Mutex<[DurableStorage]>([])

    private init(on server: PostgresServer, at address: PostgresAddress? = nil) throws {
        self.server = server
        self.address = try address ?? server.emptySchema()
    }

    /// Runs `body` with an empty database and closes its handles afterwards.
    /// - Parameter address: where it is on a server that has no other; `nil` for a schema of its own.
    static func with(
        on server: PostgresServer? = nil, at address: PostgresAddress? = nil,
        _ body: (PostgresDatabase) async throws -> Void
    ) async throws {
        let database: PostgresDatabase
        if let server {
            database = try PostgresDatabase(on: server, at: address)
        } else {
            database = try PostgresDatabase(on: try await .shared())
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(database)) } catch { result = .failure(error) }
        for storage in database.opened.withLock({ $0 }) { try? await storage.close() }
        try result.get()
    }

    /// Another handle, as another process would have it, under a node name of its own unless one is given.
    func open(
        node: String? = nil, readers: Int = 2, signer: any AuditNoteSigning = UnsignedCheckpoints(),
        markPath: String? = nil, isPatient: Bool = false, time: TimeSource = .system, logger: Logger = .silent
    ) async throws -> DurableStorage {
        let number = opened.withLock { $0.count }
        let storage = try await PostgresStorage.open(
            address, node: node ?? "node-\(number)-\(Int.random(in: 0..<1_000_000))", signer: signer,
            readers: readers, markPath: markPath, isPatient: isPatient, time: time, logger: logger)
        opened.withLock { $0.append(storage) }
        return storage
    }

    /// A connection of the test's own to the same tables.
    func session() throws -> PostgresSession { try PostgresSession.connected(to: address) }

    /// Ends the connection that writes as `node`.
    func cutWriter(of node: String) throws {
        _ = try server.administrator().run(
            """
            SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = $1::text
            """, [.text("drawbridge writer \(node)")])
    }

    /// From here on the connection ends while the server works on a commit that has a new row of this table.
    func hangUpAtCommit(ofRowsIn table: String) throws {
        let operators = try session()
        _ = try operators.run(
            """
            CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
            """)
        _ = try operators.run(
            SQLStatement(
                """
                CREATE CONSTRAINT TRIGGER torn AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION hang_up()
                """))
    }
}
