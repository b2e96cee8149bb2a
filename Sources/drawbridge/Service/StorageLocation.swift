import Bridge
import BridgeHTTP
import Foundation
import SQLStorage

/// Where the database and its signing key are, and as whom to write.
struct StorageLocation: Sendable {
    let databasePath: String
    /// The shared database, which comes before the file.
    let database: PostgresAddress?
    let signingKeyPath: String
    let keyName: String
    let masterKeyPath: String
    /// Where the first version kept the login token keys.
    let loginTokenKeysPath: String
    /// What remembers retired keys beside the database.
    let retiredKeysPath: String
    /// The ones that need keys.
    var keyAlgorithms = KeyAlgorithm.allCases
    /// What authenticator apps call the instance.
    let siteName: String
    let node: String
}

extension StorageLocation {
    /// Where signed notes are kept outside of the database.
    var auditNoteFile: AuditNoteFile { AuditNoteFile(besideSigningKey: signingKeyPath) }

    /// Where the server notes its last commit, beside the database.
    var commitMarkPath: String { "\(commitMarkPrefix)\(node)" }

    /// The node name under which commands write next to the server.
    var commandNode: String { NodeName.ofCommand(beside: node) }

    /// What the names of such files begin with; each node has its own.
    var commitMarkPrefix: String { "\(directory)/last-commit." }

    /// Whether there is a database to look into; one of a server always counts, and one that this account may not look
    /// for, so that whoever opens it is told why not.
    var hasDatabase: Bool { database != nil || access(databasePath, F_OK) == 0 || errno == EACCES }

    /// What messages call the database.
    var databaseName: String { database?.description ?? databasePath }

    /// The folder of all that is beside the database.
    var directory: String { (retiredKeysPath as NSString).deletingLastPathComponent }

    /// Nodes that write to the database now, besides the command that asks.
    /// - Parameter storage: the database, which the command has open.
    func livingNodes(in storage: any BridgeStorage) async throws -> [String] {
        guard database == nil else { return try await storage.livingNodes() }
        return SQLiteStorage.livingNodes(of: databasePath, besides: commandNode)
    }

    /// Whether the audit log was signed with a key that is not in its place.
    /// - Parameter byAnyNode: whether what other nodes of a shared database signed counts. A node that joins them with a
    ///   folder of its own has lost nothing.
    func lacksSigningKey(byAnyNode: Bool = false) async throws -> Bool {
        guard access(signingKeyPath, F_OK) != 0, errno == ENOENT, hasDatabase else { return false }
        if let database { return try await PostgresStorage.hasCheckpoints(database, of: byAnyNode ? nil : node) }
        return try SQLiteBackup.hasCheckpoints(in: databasePath)
    }

    /// What was signed last about the audit log: by this node or the commands beside it, or else by any.
    func newestCheckpoint() async throws -> AuditCheckpoint? {
        guard hasDatabase else { return nil }
        if let database { return try await PostgresStorage.newestCheckpoint(database, of: node) }
        return try SQLiteBackup.newestCheckpoint(in: databasePath, of: node)
    }

    /// What other nodes that run now have signed last with another key than this: all are to have one.
    func checkpoints(notSignedBy key: AuditSigningKey) async throws -> [AuditCheckpoint] {
        guard let database else { return [] }
        return try await PostgresStorage.newestCheckpoints(database, besides: node)
            .filter { $0.problem(trusting: [key.verifierKey]) == .checkpointUnknownKey }
    }

    /// Those of the database's signing keys that a server here has to open. Keys that were retired at once may be of the
    /// master key before this one.
    /// - Throws: ``PrivateFileError``.
    func inUse(_ keys: [SealedSigningKey], at now: Timestamp) throws -> [SealedSigningKey] {
        let retired = try RetiredKeyFile(path: retiredKeysPath).ids()
        return keys.filter { key in
            key.isLive(at: now) && keyAlgorithms.contains(key.algorithm) && !retired.contains(key.id)
        }
    }

    /// Opens the database for one look, and closes it; works while a server runs, and without the right to write.
    func reading<Value>(_ body: (any BridgeStorage) async throws -> Value) async throws -> Value {
        if let database { return try await Self.reading(database, body) }
        return try await Self.closing(try SQLiteStorage.openForReading(path: databasePath), after: body)
    }

    /// Opens a PostgreSQL database for one look, and closes it, where nothing else than its name is known.
    static func reading<Value>(
        _ database: PostgresAddress, _ body: (any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        try await closing(try await PostgresStorage.openForReading(database), after: body)
    }

    private static func closing<Value>(
        _ storage: any BridgeStorage, after body: (any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(storage)
            try? await storage.close()
            return value
        } catch {
            try? await storage.close()
            throw error
        }
    }

    /// Whether there are accounts in the database, as far as it can be read.
    func hasAccounts() async -> Bool {
        guard hasDatabase else { return false }
        return (try? await reading { try await $0.hasAccounts() }) ?? false
    }

    /// Another location with this file as the embedded database.
    init(_ other: StorageLocation, databasePath: String) {
        self.init(
            databasePath: databasePath, database: nil, signingKeyPath: other.signingKeyPath, keyName: other.keyName,
            masterKeyPath: other.masterKeyPath, loginTokenKeysPath: other.loginTokenKeysPath,
            retiredKeysPath: other.retiredKeysPath, keyAlgorithms: other.keyAlgorithms, siteName: other.siteName,
            node: other.node)
    }

    init(_ settings: DrawbridgeSettings, database: PostgresAddress? = nil) {
        // A signed note's key name has neither spaces nor plus signs; an origin has none.
        let host = settings.origins.website.description.split(separator: "/").last.map(String.init) ?? "localhost"
        self.init(
            databasePath: settings.storage.databasePath, database: database ?? settings.storage.database,
            signingKeyPath: settings.audit.signingKeyPath,
            keyName: "\(host)/drawbridge", masterKeyPath: settings.storage.masterKeyPath,
            loginTokenKeysPath: settings.storage.loginTokenKeysPath,
            retiredKeysPath: "\(settings.storage.directory)/\(FileName.retiredKeys)",
            keyAlgorithms: settings.provider.isEnabled ? KeyAlgorithm.allCases : [.hs256], siteName: settings.site.name,
            node: settings.storage.node)
    }
}
