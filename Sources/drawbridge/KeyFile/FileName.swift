/// What the files in the data folder are called, where the settings name no other place (contract §13); those in a backup
/// too.
enum FileName {
    static let database = "drawbridge.sqlite"
    static let masterKey = "master-key"
    static let auditSigningKey = "audit-signing-key"
    /// The login token keys of versions before 22 November 2026.
    static let loginTokenKeys = "login-token-keys.json"
    static let retiredKeys = "retired-keys"
}
