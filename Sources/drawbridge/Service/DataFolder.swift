import Foundation

/// The folder of database and keys.
enum DataFolder {
    /// Makes it, for its owner only, when it is missing.
    static func create(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
