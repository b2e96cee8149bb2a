import Bridge
import SQLStorage

/// Where data and keys are kept, and as whom.
struct StorageSettings: Sendable {
    static let directory = Setting.path(
        "data_directory", default: "/var/lib/drawbridge",
        "Folder of the database and, unless named elsewhere, the keys. Created with mode 0700 when missing.")
    static let database = Setting.database(
        "database", "PostgreSQL database that several servers share: a postgres:// URL. Default: the embedded one.")
    static let node = Setting.text(
        "node", default: "main", "This server's name; its audit events form one chain under this name.")
    static let masterKeyFile = Setting.path(
        "master_key_file",
        "Key that signing keys and second factors in the database are sealed with, made by `drawbridge keys init`. "
            + "Default: master-key in data_directory.")
    static let loginTokenKeysFile = Setting.path(
        "login_token.keys_file",
        "Login token keys of versions before 22 November 2026, taken into the database at the first start. "
            + "Default: login-token-keys.json in data_directory; need not exist.")
    static let purgeInterval = Setting.duration(
        "purge.interval", .seconds(1)...(.seconds(86_400)), default: "1m",
        "How often expired tokens and sessions are removed.")

    let directory: String
    /// `nil` for the embedded database.
    var database: PostgresAddress?
    let node: String
    /// What seals signing keys and second factors.
    let masterKeyPath: String
    /// Where the first version kept the login token keys, which the database takes over.
    let loginTokenKeysPath: String
    let purgeInterval: Duration

    /// The database in the data folder (contract §13).
    var databasePath: String { "\(directory)/\(FileName.database)" }

    init(reading settings: SettingsReader) {
        directory = settings[Self.directory]
        do {
            database = try settings[Self.database].map { try PostgresAddress($0) }
        } catch {
            settings.note(Self.database, "\(error)")
        }
        if let database { settings.show(Self.database, as: database.description) }
        node = settings[Self.node]
        if !node.isName() || node.utf8.count > 60 || node.hasPrefix(".") {
            settings.note(Self.node, value: node, "must be 1 to 60 letters, digits, dots, - or _")
        }
        masterKeyPath = settings.path(Self.masterKeyFile, or: "\(directory)/\(FileName.masterKey)")
        loginTokenKeysPath = settings.path(
            Self.loginTokenKeysFile, or: "\(directory)/\(FileName.loginTokenKeys)")
        purgeInterval = settings[Self.purgeInterval]
    }
}
