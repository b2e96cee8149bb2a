import Foundation

/// The folder of database and keys.
enum StorageFolder {
    /// Makes it, for its owner only, when it is missing; files that this process makes are for its owner only too.
    static func create(_ path: String) throws {
        restrictNewFiles()
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let problem = SystemFailure(error, doing: "make the folder \(path)")
            throw StorageFolderError(
                description: "\(problem) Run this as a user who may, or name another data_directory.")
        }
    }

    /// From here on files that this process makes are for its owner only, whatever it was started with.
    static func restrictNewFiles() { umask(0o077) }

    /// Takes the embedded database's files away from everybody but their owner, where that is this account: commands of
    /// earlier versions made them for all to read.
    /// - Returns: the files that others had a right to.
    static func closeDatabase(at path: String) -> [String] {
        ["", "-wal", "-shm"].map { path + $0 }.filter { file in
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_mode & 0o077 != 0
            else { return false }
            return chmod(file, status.st_mode & 0o700) == 0
        }
    }
}

struct StorageFolderError: Error, CustomStringConvertible {
    let description: String
}
