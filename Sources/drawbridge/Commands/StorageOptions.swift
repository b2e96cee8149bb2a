import ArgumentParser
import Bridge
import Foundation
import Logging
import SQLStorage

/// The options that say which database a command works on.
struct StorageOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: "The data folder itself, when there is no settings file (a demo's).")
    var dataPath: String?

    @OptionGroup var configured: ConfiguredStorageOptions

    var settings: SettingsOptions { configured.settings }

    private var databaseText: String? { configured.databaseText }

    func location() throws -> StorageLocation {
        if let dataPath {
            let folder = URL(filePath: dataPath).standardizedFileURL.path(percentEncoded: false)
            return StorageLocation(
                databasePath: "\(folder)/\(FileName.database)", database: try namedDatabase(),
                signingKeyPath: "\(folder)/\(FileName.auditSigningKey)",
                keyName: "localhost/drawbridge", masterKeyPath: "\(folder)/\(FileName.masterKey)",
                loginTokenKeysPath: "\(folder)/\(FileName.loginTokenKeys)",
                retiredKeysPath: "\(folder)/\(FileName.retiredKeys)", siteName: "Drawbridge", node: "main")
        }
        return StorageLocation(try settings.load(), database: try namedDatabase())
    }

    /// What has a client of this id that takes precedence over the database's, as the beginning of a sentence.
    func holder(of id: ClientID) throws -> String? {
        try configuredClients().clients.contains { $0.id == id } ? holderName : nil
    }

    /// Where clients are that a look into the database does not find, as a sentence; `nil` where there are none.
    var noteOnFixedClients: String? {
        fixedClients.isEmpty
            ? nil
            : "The settings file has clients of its own, which are not in the database: drawbridge check-config lists "
                + "them."
    }

    /// - Parameter advice: what to do about a client of this id that is not the database's.
    /// - Returns: a sentence; `nil` where there is no such client.
    func noteOnFixedClient(_ id: ClientID, advice: String) -> String? {
        fixedClients.contains { $0.id == id } ? "The settings file has one of this id: \(advice)." : nil
    }

    /// The settings file's; none where no settings are read. A demo's are in its database.
    private var fixedClients: [Client] {
        guard databaseText == nil, dataPath == nil, let configured = try? configuredClients() else { return [] }
        return configured.clients
    }

    private var holderName: String { dataPath == nil ? "The settings file" : "A demo" }

    /// What the settings say of clients; of a demo, which makes its default website again at each start, its own.
    func configuredClients() throws -> ConfiguredClients {
        guard dataPath != nil else { return ConfiguredClients(try settings.load()) }
        // Their ids are the same in every demo, whatever its secrets are derived from.
        return ConfiguredClients(clients: try DemoClients(seed: Secret([])).all(), defaultTarget: nil)
    }

    /// What the hash of a new password costs: as for a server with these settings. A data folder that is named by
    /// itself has none.
    func passwordCost() throws -> PasswordCost {
        try dataPath == nil ? settings.load().provider.passwordCost : .standard
    }

    private func namedDatabase() throws -> PostgresAddress? {
        guard let databaseText else { return nil }
        do { return try PostgresAddress(databaseText) } catch { throw CommandError(clause: error.description) }
    }

    /// The key that signs checkpoints.
    ///
    /// A demo's lies in its database. It is looked for there only when nothing else is named: who controls a
    /// database must not be able to choose the key that its log is verified with.
    /// - Throws: ``CommandError`` where only a database is named, which holds none, and nothing else says where it is.
    func auditSigningKey() async throws -> AuditSigningKey {
        if namesOnlyDatabase, let database = try namedDatabase(),
            let text = try await PostgresDemoMaterial.value(DemoMaterial.auditSigningKey.fileName, in: database)
        {
            return try AuditSigningKey(text: Secret(text))
        }
        // An auditor who has the database alone was sent after the server's settings, which are not what is missing.
        guard !namesOnlyDatabase || settings.areAccepted else {
            throw CommandError(
                "The audit signing key is not in this database: name the settings (--config) or the data folder "
                    + "(--data) as well, or, to verify the log, the keys to trust (--public-key).")
        }
        return try AuditSigningKeyFile.load(try location().signingKeyPath)
    }

    /// Has the log verified beside what is kept next to the key; that is nothing where only a database is named.
    func addKeptNotes(to terms: inout AuditVerificationTerms) throws {
        if !namesOnlyDatabase { try location().auditNoteFile.add(to: &terms) }
    }

    private var namesOnlyDatabase: Bool {
        dataPath == nil && settings.inputs().filePath == nil && databaseText != nil
    }

    /// Whether there is a database to look into; one of a server always counts.
    func hasDatabase() throws -> Bool { try namedDatabase() != nil || location().hasDatabase }

    /// Whether there is neither a database nor the master key that a start needs. A folder that is named by itself has
    /// been used, or is the wrong one.
    func isBeforeFirstStart() throws -> Bool {
        guard dataPath == nil, try !hasDatabase() else { return false }
        return try access(location().masterKeyPath, F_OK) != 0 && errno == ENOENT
    }

    /// Opens the database for one command that only reads; works while a server runs, and without the right to write.
    func reading<Value>(_ body: (any BridgeStorage) async throws -> Value) async throws -> Value {
        // A look needs no keys, so a database that is named needs no settings either.
        if let database = try namedDatabase() {
            return try await StorageLocation.reading(database) { storage in
                try await DatabaseFailure.naming(database.description) { try await body(storage) }
            }
        }
        let location = try location()
        try requireDatabase(at: location)
        return try await location.reading { storage in
            try await DatabaseFailure.naming(location.databaseName) { try await body(storage) }
        }
    }

    /// Where the embedded database is; `nil` where it is PostgreSQL's.
    func embeddedDatabasePath() throws -> String? {
        guard try namedDatabase() == nil else { return nil }
        let location = try location()
        return location.database == nil ? location.databasePath : nil
    }

    /// Opens the database for one command, which may run while the server does: it writes a chain of its own,
    /// `<node>-cli`.
    /// - Parameter making: whether the embedded database is made where there is none. A command that changes what is
    ///   there must not find an empty one and say that nothing was to be done, because the real one is named where it
    ///   does not look.
    func withStorage<Value>(
        making: Bool = false, _ body: (any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        let location = try location()
        if !making { try requireDatabase(at: location) }
        let isNew = !location.hasDatabase
        if isNew { try createFolder() }
        return try await ServerStorage.withStorage(at: location) { storage in
            // So that a command which was not told where the service's database is makes no other without a word.
            if isNew { StandardError.write("Made a new database at \(location.databasePath).\n") }
            return try await body(storage)
        }
    }

    /// Makes the data folder that the settings name, where it is missing; none of root's in a folder of another
    /// account.
    func createFolder() throws {
        guard dataPath == nil else { return }
        let storage = try settings.load().storage
        try StorageFolder.refuseRoot(in: storage.directory, masterKey: storage.masterKeyPath)
        try StorageFolder.create(storage.directory)
    }

    /// Refuses what would stop the next start: an account beside a trusted issuer that could name it.
    func requireSettingsForAccounts() throws {
        guard dataPath == nil else { return }
        let problems = try settings.load().problemsWithAccounts
        guard problems.isEmpty else {
            throw CommandError(
                "With an account in the database, the next start would be refused. Change the settings first:\n"
                    + problems.map { "\($0)" }.joined(separator: "\n"))
        }
    }

    func requireDatabase(at location: StorageLocation) throws {
        guard !location.hasDatabase else { return }
        var hint = ""
        if dataPath == nil {
            hint = " The first start makes it, or drawbridge migrate."
            if settings.inputs().secretsDirectory == nil {
                hint += " Where a secret names the database, the command needs it as well "
                hint += "(DRAWBRIDGE_DATABASE or --secrets-directory)."
            }
        }
        throw CommandError("There is no database at \(location.databasePath).\(hint)")
    }
}

/// Where the storage is, for a command that cannot do without the settings.
struct ConfiguredStorageOptions: ParsableArguments {
    @Option(name: .customLong("database"), help: "A PostgreSQL database, instead of the one the settings file names.")
    var databaseText: String?

    @OptionGroup var settings: SettingsOptions

    /// What works on the database, without a folder named besides the settings.
    var storage: StorageOptions {
        var options = StorageOptions()
        // Options that were not parsed may not be read before they are set.
        options.dataPath = nil
        options.configured = self
        return options
    }
}
