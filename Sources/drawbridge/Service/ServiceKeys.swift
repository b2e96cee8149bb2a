import Bridge
import Foundation
import Logging

/// The signing keys of a server, or of a command on its host, as their settings say.
enum ServiceKeys {
    /// A server's: reads them, makes the first ones, and takes over those of the first version's file.
    /// - Parameter announce: tells other nodes of changes.
    /// - Throws: ``MasterKeyFileError``, ``LoginTokenKeyFileError``, ``PrivateFileError``, ``StorageError``.
    static func start(
        settings: DrawbridgeSettings, store: any SigningKeyStore, master: MasterKey,
        announce: @escaping @Sendable () async -> Void, time: TimeSource, logger: Logger
    ) async throws -> SigningKeys {
        let location = StorageLocation(settings)
        let keys = SigningKeys(
            store: store, master: master, algorithms: location.keyAlgorithms, node: settings.storage.node,
            record: RetiredKeyFile(path: location.retiredKeysPath), announce: announce, time: time, logger: logger)
        let taken = try await load(keys, at: location)
        guard FileManager.default.fileExists(atPath: location.loginTokenKeysPath) else { return keys }
        logger.notice(
            taken.isEmpty
                ? "the file of login token keys is not read any more: the keys are in the database; it can be removed"
                : "the login token keys were taken into the database; their file can be removed",
            metadata: ["file": "\(location.loginTokenKeysPath)", "kids": "\(taken)"])
        return keys
    }

    /// Reads the keys for a command that changes nothing.
    static func read(
        settings: DrawbridgeSettings, store: any SigningKeyStore, logger: Logger
    ) async throws -> SigningKeys {
        let keys = SigningKeys(
            store: store, master: try MasterKeyFile.load(settings.storage.masterKeyPath),
            algorithms: StorageLocation(settings).keyAlgorithms, time: .system, logger: logger)
        try await keys.reload()
        return keys
    }

    /// Reads the keys, or makes them.
    /// - Returns: the ids of those that were taken over from the first version's file.
    @discardableResult
    static func load(_ keys: SigningKeys, at location: StorageLocation) async throws -> [String] {
        do {
            return try await keys.load { try LoginTokenKeyFile.read(location.loginTokenKeysPath) ?? [] }
        } catch let error as MasterKeyError {
            throw MasterKeyFileError(path: location.masterKeyPath, problem: .mismatch(keyID: error.name))
        }
    }
}
