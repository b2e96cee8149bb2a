import Foundation

/// The folder of database and keys.
enum StorageFolder {
    /// Makes it, for its owner only, when it is missing; files that this process makes are for its owner only too.
    /// - Throws: ``StorageFolderError`` also for one that is there and that another account can change.
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
        if case .refused(let problem) = weakness(of: path) { throw StorageFolderError(description: problem) }
    }

    /// How an account that is neither this one nor root could put keys and a database of its own in their place.
    enum Weakness: Hashable {
        case refused(String)
        /// The folder is root's: as a rule a volume, whose rights this account cannot change, and which may be one
        /// container's alone.
        case warning(String)
    }

    /// - Returns: `nil` also for a folder that is not there.
    static func weakness(of path: String, for account: uid_t = geteuid()) -> Weakness? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let consequence = "could put a database or keys of their own there"
        // Root may run a command for the service's account.
        guard [0, account].contains(status.st_uid) || account == 0 else {
            return .refused(
                "The folder \(path) belongs to another account (\(status.st_uid)). Whoever uses that account "
                    + "\(consequence): give the folder to the account that runs this (chown), or name another "
                    + "data_directory.")
        }
        guard status.st_mode & 0o022 != 0 else { return nil }
        let mode = "0" + String(status.st_mode & 0o7777, radix: 8)
        let problem = "Others may write to the folder \(path) (mode \(mode)) and \(consequence)"
        return status.st_uid == 0
            ? .warning("\(problem), unless nobody else reaches it, as a container's own volume")
            : .refused("\(problem). Take that right from them: chmod go-w \(path)")
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
