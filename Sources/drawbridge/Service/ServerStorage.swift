import Bridge
import Logging
import SQLStorage

/// Opens the database of a server, or of a command on its host: the shared one that is named, or the embedded one.
enum ServerStorage {
    /// - Parameter watch: is told when signed notes cannot be kept.
    static func open(
        _ settings: DrawbridgeSettings, watch: AuditWatch, logger: Logger
    ) async throws -> any BridgeStorage {
        let location = StorageLocation(settings)
        if location.database == nil, KernelRun.id == nil {
            logger.warning(
                "cannot tell a crash from a loss of power: an embedded database will count as restored after either",
                metadata: ["unreadable": "\(KernelRun.path)"])
        }
        try StorageFolder.create(settings.storage.directory)
        if case .warning(let problem) = StorageFolder.weakness(of: settings.storage.directory) {
            logger.warning("\(problem)")
        }
        let closed = location.database == nil ? StorageFolder.closeDatabase(at: location.databasePath) : []
        if !closed.isEmpty {
            logger.notice(
                "others could read the database; only its owner can now",
                metadata: ["files": "\(closed.joined(separator: ", "))"])
        }
        let keeper = AuditNoteKeeper(file: location.auditNoteFile, watch: watch, logger: logger)
        return try await open(
            location, node: settings.storage.node, markPath: location.commitMarkPath, outlet: keeper, logger: logger)
    }

    /// Opens it for one command, which may run while the server does: it writes a chain of its own, `<node>-cli`.
    /// - Parameters:
    ///   - migrating: follows the steps that bring the tables up to date.
    ///   - outlet: gets what is signed; where it is `nil`, the file beside the signing key does.
    ///   - isPatient: whether it goes through whole tables, while no server waits behind it.
    static func withStorage<Value>(
        at location: StorageLocation, migrating report: @escaping MigrationReport = { _, _ in },
        outlet: (any AuditNoteOutlet)? = nil, isPatient: Bool = false,
        _ body: (any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        try StorageFolder.refuseRoot(in: location.directory, masterKey: location.masterKeyPath)
        let outlet = outlet ?? commandKeeper(at: location)
        return try await DatabaseFailure.naming(location.databaseName) {
            let storage = try await open(
                location, node: location.commandNode, outlet: outlet, migrating: report, isPatient: isPatient,
                logger: commandLogger)
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

    /// Keeps what a command has signed beside the signing key; where that cannot be, the command's log says so.
    static func keep(_ notes: [AuditNote], at location: StorageLocation) async {
        let keeper = commandKeeper(at: location)
        keeper.publish(notes)
        await keeper.flush()
    }

    /// A command has no `/readyz`, so its log alone tells of notes that cannot be kept.
    private static func commandKeeper(at location: StorageLocation) -> AuditNoteKeeper {
        AuditNoteKeeper(file: location.auditNoteFile, watch: AuditWatch(), logger: commandLogger)
    }

    private static var commandLogger: Logger { Logger(label: "drawbridge") }

    private static func open(
        _ location: StorageLocation, node: String, markPath: String? = nil, outlet: any AuditNoteOutlet,
        migrating report: @escaping MigrationReport = { _, _ in }, isPatient: Bool = false, logger: Logger
    ) async throws -> any BridgeStorage {
        StorageFolder.restrictNewFiles()
        guard try await !location.lacksSigningKey() else { throw SigningKeyLost(path: location.signingKeyPath) }
        let joins = try await location.lacksSigningKey(byAnyNode: true)
        let signer = try signingKey(location)
        if joins {
            logger.warning(
                "made an audit signing key of its own, although other nodes sign with another: give it theirs",
                metadata: ["file": "\(location.signingKeyPath)"])
        }
        if let database = location.database {
            let storage = try await PostgresStorage.open(
                database, node: node, signer: signer, outlet: outlet, markPath: markPath, isPatient: isPatient,
                migrating: report, logger: logger)
            // A command has no mark, and its server has said so.
            if markPath != nil, !joins { await warn(ofOtherKeysThan: signer, location, logger) }
            return storage
        }
        return try SQLiteStorage.open(
            path: location.databasePath, node: node, signer: signer, outlet: outlet, markPath: markPath,
            migrating: report, logger: logger)
    }

    private static func warn(
        ofOtherKeysThan key: AuditSigningKey, _ location: StorageLocation, _ logger: Logger
    ) async {
        // What is not known is no reason not to start.
        guard let others = try? await location.checkpoints(notSignedBy: key), let last = others.map(\.at).max() else {
            return
        }
        logger.warning(
            "other nodes sign the audit log with another key: give all the same one, unless it was just replaced",
            metadata: [
                "file": "\(location.signingKeyPath)", "nodes": "\(others.map(\.node).joined(separator: ", "))",
                "signed_at": "\(last.rfc3339)",
            ])
    }

    /// The key that signs checkpoints, made where there is none; refused when others can read it.
    static func signingKey(_ location: StorageLocation) throws -> AuditSigningKey {
        try AuditSigningKeyFile.loadOrMake(location.signingKeyPath, name: location.keyName)
    }
}

/// The key that signed the audit log is not in its place.
///
/// Another one is made on purpose only: whoever removes the key would otherwise get a log that goes on without a word,
/// and once the kept key is put there after all, nothing vouches for what the new one signed.
struct SigningKeyLost: Error, Hashable, CustomStringConvertible {
    let path: String
    /// What makes another one.
    var remedy = "make another one with drawbridge keys init"

    /// Whole sentences.
    var description: String {
        """
        There is no \(path), and the audit log is signed. Put the audit-signing-key that you kept there first. If it \
        is lost, verify the log with its public key (docs/operations.md), and then \(remedy): what the lost one signed is \
        vouched for by that public key alone from then on.
        """
    }
}
