import ArgumentParser
import Bridge
import Foundation
import Logging
import SQLStorage

/// The options that say which database a command works on.
struct StorageOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: "The data folder itself, when there is no settings file (a demo's).")
    var dataPath: String?

    @Option(name: .customLong("database"), help: "A PostgreSQL database, instead of the one the settings file names.")
    var databaseText: String?

    @OptionGroup var settings: SettingsOptions

    /// Where the database and its signing key are, and as whom to write.
    struct Location: Sendable {
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
        /// Those that keys are needed for.
        var keyAlgorithms = KeyAlgorithm.allCases
        /// What authenticator apps call the instance.
        let siteName: String
        let node: String
    }

    func location() throws -> Location {
        if let dataPath {
            let folder = URL(filePath: dataPath).standardizedFileURL.path(percentEncoded: false)
            return Location(
                databasePath: "\(folder)/drawbridge.sqlite", database: try namedDatabase(),
                signingKeyPath: "\(folder)/audit-signing-key",
                keyName: "localhost/drawbridge", masterKeyPath: "\(folder)/\(DemoMaterial.masterKey.rawValue)",
                loginTokenKeysPath: "\(folder)/login-token-keys.json", retiredKeysPath: "\(folder)/retired-keys",
                siteName: "Drawbridge", node: "main")
        }
        return Location(try settings.load(), database: try namedDatabase())
    }

    /// What has a client of this id that stands before one of the database, as a sentence's first words.
    func holder(of id: ClientID) throws -> String? {
        if dataPath != nil {
            // Their ids are the same in every demo, whatever its secrets are derived from.
            return try DemoClients(seed: Secret([])).all().contains { $0.id == id } ? "A demo" : nil
        }
        return try settings.load().clients.contains { $0.id == id } ? "The settings file" : nil
    }

    private func namedDatabase() throws -> PostgresAddress? {
        guard let databaseText else { return nil }
        do { return try PostgresAddress(databaseText) } catch { throw CommandFailure(error.description) }
    }

    /// The key that signs checkpoints.
    ///
    /// A demo's lies in its database. It is looked for there only when nothing else is named: whoever rules a
    /// database must not be able to choose the key that its log is verified with.
    func auditSigningKey() async throws -> AuditSigningKey {
        if namesOnlyDatabase, let database = try namedDatabase(),
            let text = try await PostgresDemoMaterial.value(DemoMaterial.auditSigningKey.rawValue, in: database)
        {
            return try AuditSigningKey(text: Secret(text))
        }
        return try AuditSigningKey.load(path: try location().signingKeyPath)
    }

    /// The signed notes that are kept beside the key; none where only a database is named.
    func keptNotes() throws -> [AuditNote] {
        namesOnlyDatabase ? [] : try location().auditNoteFile.read().notes
    }

    private var namesOnlyDatabase: Bool {
        dataPath == nil && settings.inputs().filePath == nil && databaseText != nil
    }

    /// Whether there is a database to look into; one of a server always counts.
    func hasDatabase() throws -> Bool { try namedDatabase() != nil || location().hasDatabase }

    /// Opens the database for reading; works beside a running server and with no right to write.
    func openForReading() async throws -> any BridgeStorage {
        // A look needs no keys, so a database that is named needs no settings either.
        if let database = try namedDatabase() { return try await PostgresStorage.openForReading(database) }
        return try await location().openForReading()
    }

    /// Opens the database for one command, which may run beside the server: it writes a chain of its own,
    /// `<node>-cli`.
    func withStorage<Value>(_ body: (any BridgeStorage) async throws -> Value) async throws -> Value {
        try await ServerStorage.withStorage(at: try location(), body)
    }
}

extension StorageOptions.Location {
    /// Where signed notes are kept outside of the database.
    var auditNoteFile: AuditNoteFile { AuditNoteFile(besideSigningKey: signingKeyPath) }

    /// Whether there is a database to look into; one of a server always counts.
    var hasDatabase: Bool { database != nil || FileManager.default.fileExists(atPath: databasePath) }

    /// Opens the database for reading; works beside a running server and with no right to write.
    func openForReading() async throws -> any BridgeStorage {
        if let database { return try await PostgresStorage.openForReading(database) }
        return try SQLiteStorage.openForReading(path: databasePath)
    }

    init(_ settings: DrawbridgeSettings, database: PostgresAddress? = nil) {
        // A signed note's key name has neither spaces nor plus signs; an origin has none.
        let host = settings.publicOrigin.description.split(separator: "/").last.map(String.init) ?? "localhost"
        self.init(
            databasePath: settings.databasePath, database: database ?? settings.database,
            signingKeyPath: settings.auditSigningKeyFile,
            keyName: "\(host)/drawbridge", masterKeyPath: settings.masterKeyPath,
            loginTokenKeysPath: settings.loginTokenKeysFile,
            retiredKeysPath: "\(settings.dataDirectory)/retired-keys",
            keyAlgorithms: settings.isProvider ? KeyAlgorithm.allCases : [.hs256], siteName: settings.siteName,
            node: settings.node)
    }
}
