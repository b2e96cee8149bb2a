import ArgumentParser
import Bridge
import Foundation
import Logging
import SQLStorage

/// The options that say which database a command works on.
struct StorageOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: "The data folder itself, when there is no settings file (a demo's).")
    var dataPath: String?

    @OptionGroup var settings: SettingsOptions

    /// Where the database and its signing key are, and as whom to write.
    struct Location: Sendable {
        let databasePath: String
        let signingKeyPath: String
        let keyName: String
        let node: String
    }

    func location() throws -> Location {
        if let dataPath {
            let folder = URL(filePath: dataPath).standardizedFileURL.path(percentEncoded: false)
            return Location(
                databasePath: "\(folder)/drawbridge.sqlite", signingKeyPath: "\(folder)/audit-signing-key",
                keyName: "localhost/drawbridge", node: "main")
        }
        return Location(try settings.load())
    }

    /// Opens the database for reading; works beside a running server and with no right to write.
    func openForReading() throws -> any BridgeStorage {
        try SQLiteStorage.openForReading(path: try location().databasePath)
    }

    /// Opens the database for one command, which may run beside the server: it writes a chain of its own,
    /// `<node>-cli`.
    func withStorage<Value>(_ body: (any BridgeStorage) async throws -> Value) async throws -> Value {
        try await ServerStorage.withStorage(at: try location(), body)
    }
}

extension StorageOptions.Location {
    init(_ settings: DrawbridgeSettings) {
        // A signed note's key name has neither spaces nor plus signs; an origin has none.
        let host = settings.publicOrigin.description.split(separator: "/").last.map(String.init) ?? "localhost"
        self.init(
            databasePath: settings.databasePath, signingKeyPath: settings.auditSigningKeyFile,
            keyName: "\(host)/drawbridge", node: settings.node)
    }
}
