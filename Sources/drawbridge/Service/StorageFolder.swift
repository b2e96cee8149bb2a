import Foundation

/// The folder of database and keys.
enum StorageFolder {
    /// Makes it, for its owner only, when it is missing; files that this process makes are for its owner only too.
    static func create(_ path: String) throws {
        umask(0o077)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let problem = SystemFailure(error, doing: "make the folder \(path)")
            throw StorageFolderError(
                description: "\(problem) Run this as a user who may, or name another data_directory.")
        }
    }
}

struct StorageFolderError: Error, CustomStringConvertible {
    let description: String
}
