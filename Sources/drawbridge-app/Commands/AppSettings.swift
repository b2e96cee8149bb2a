import DrawbridgeClient
import Foundation

/// The options with the environment and the defaults below them.
struct AppSettings {
    let issuer: String
    let app: String
    let storeName: String
    let folder: URL
    private let environment: [String: String]

    /// Not `DRAWBRIDGE_…`: those are settings of the service, which stops at one that it does not know.
    init(_ options: AppOptions, environment: [String: String]) {
        func value(_ option: String?, _ name: String) -> String? {
            option ?? environment["DRAWBRIDGEAPP_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
        }
        self.environment = environment
        issuer = value(options.issuer, "ISSUER") ?? "http://127.0.0.1:8080"
        app = value(options.app, "APP") ?? "demo-app"
        storeName = value(options.store, "STORE") ?? "auto"
        folder = value(options.directory, "DIRECTORY").map { URL(filePath: $0) } ?? Self.usersFolder(environment)
    }

    func configuration() throws(ClientError) -> ClientConfiguration {
        try ClientConfiguration(
            issuer: IssuerAddress(issuer), clientID: app,
            // The provider's name is part of the place: what one provider gave is of no use to another.
            sharing: SharingGroup(service: "\(issuer) native-sso", accessGroup: "drawbridge-apps"))
    }

    func store() async throws(ClientError) -> any SecretStore {
        switch storeName {
        case "file": return try files()
        case "secret-service":
            guard let store = await SecretServiceStore.available(environment: environment) else {
                throw .secretStore("no secret service answers; try --store file")
            }
            return store
        case "auto":
            if let store = await SecretServiceStore.available(environment: environment) { return store }
            return try files()
        default: throw .configuration("--store is auto, secret-service or file, not \(storeName)")
        }
    }

    /// Checked before anybody signs in, not when there is something to keep.
    private func files() throws(ClientError) -> FileSecretStore {
        let store = FileSecretStore(folder: folder)
        try store.checkFolder()
        return store
    }

    /// Where a user's own files of programs lie (XDG Base Directory Specification).
    private static func usersFolder(_ environment: [String: String]) -> URL {
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: "drawbridge-app")
        }
        return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share/drawbridge-app")
    }
}
