import Bridge
import Logging
import SQLStorage

/// Opens the embedded database of a server or of a command beside it.
enum ServerStorage {
    /// - Parameter node: whose audit chain this process writes.
    static func open(_ settings: DrawbridgeSettings, node: String, logger: Logger) throws -> DurableStorage {
        try DataFolder.create(settings.dataDirectory)
        let signer = try AuditSigningKeyFile.readOrMake(
            settings.auditSigningKeyFile, name: settings.publicOrigin.description)
        return try SQLiteStorage.open(path: settings.databasePath, node: node, signer: signer, logger: logger)
    }

    /// Opens it for one command, which may run beside the server: it writes a chain of its own, `<node>-cli`.
    static func withStorage<Value>(
        _ settings: DrawbridgeSettings, _ body: (any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        let storage = try open(settings, node: "\(settings.node)-cli", logger: Logger(label: "drawbridge"))
        do {
            let value = try await body(storage)
            try await storage.close()
            return value
        } catch {
            try? await storage.close()
            throw error
        }
    }
}
