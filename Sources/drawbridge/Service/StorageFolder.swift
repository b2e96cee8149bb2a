import Foundation

/// The folder of database and keys.
enum StorageFolder {
    /// Makes it, for its owner only, when it is missing; files that this process makes are for its owner only too.
    static func create(_ path: String) throws {
        umask(0o077)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
