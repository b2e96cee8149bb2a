import Bridge
import Logging
import SQLStorage

/// Opens the database of a server or of a command beside it: the shared one that is named, or the embedded one.
enum ServerStorage {
    static func open(_ settings: DrawbridgeSettings, logger: Logger) async throws -> any BridgeStorage {
        try StorageFolder.create(settings.dataDirectory)
        return try await open(StorageOptions.Location(settings), node: settings.node, logger: logger)
    }

    /// Opens it for one command, which may run beside the server: it writes a chain of its own, `<node>-cli`.
    static func withStorage<Value>(
        at location: StorageOptions.Location, _ body: (any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        let storage = try await open(location, node: "\(location.node)-cli", logger: Logger(label: "drawbridge"))
        do {
            let value = try await body(storage)
            try await storage.close()
            return value
        } catch {
            try? await storage.close()
            throw error
        }
    }

    private static func open(_ location: StorageOptions.Location, node: String, logger: Logger) async throws
        -> any BridgeStorage
    {
        let signer = try signingKey(location)
        if let database = location.database {
            return try await PostgresStorage.open(database, node: node, signer: signer, logger: logger)
        }
        return try SQLiteStorage.open(path: location.databasePath, node: node, signer: signer, logger: logger)
    }

    /// The key that signs checkpoints, made at the first start; refused when others can read it.
    static func signingKey(_ location: StorageOptions.Location) throws -> AuditSigningKey {
        let key = try AuditSigningKey.loadOrGenerate(path: location.signingKeyPath, name: location.keyName)
        _ = try PrivateFile.read(location.signingKeyPath)
        return key
    }
}
