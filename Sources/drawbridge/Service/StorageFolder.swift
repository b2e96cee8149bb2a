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
        // Root may look into the folder of the service's account, and serve from one that a container mounts.
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

    /// Refuses a command of root's that makes files in the folder of another account, or would make the folder itself
    /// there: the server, which runs as that one, could not use them, and root would follow whatever links that account
    /// put there.
    /// - Parameter masterKey: from a folder that a container mounts root serves as well; then the key, which nobody but
    ///   its owner may read, is root's, and mounted where nobody else could have put it. `nil` where none is asked for.
    static func refuseRoot(in folder: String, masterKey: String?, for account: uid_t = geteuid()) throws {
        let place = existing(folder)
        var entry = stat()
        var status = stat()
        guard account == 0, lstat(place, &entry) == 0 else { return }
        // Before the key, which is looked for where the link leads.
        if entry.st_mode & S_IFMT == S_IFLNK, entry.st_uid != 0 {
            throw StorageFolderError(
                description: "\(place) is a link of \(AccountName.of(entry.st_uid)), who can have it lead anywhere, "
                    + "and this runs as root: \(AccountName.call(as: entry.st_uid)). If the server itself runs as "
                    + "root, name the folder that it leads to.")
        }
        guard stat(place, &status) == 0, status.st_uid != 0 else { return }
        if let masterKey, isRootsAlone(masterKey) { return }
        let remedy =
            access(folder, F_OK) == 0
            ? "give it the folder (chown root \(folder))" : "make its folder first (install -d -m 700 \(folder))"
        throw StorageFolderError(
            description: "The folder \(place) belongs to \(AccountName.of(status.st_uid)), and this runs as root, "
                + "whose files the server could not use: \(AccountName.call(as: status.st_uid)). If the server itself "
                + "runs as root, \(remedy).")
    }

    /// Whether nobody but root can have put a file there: it is root's, and so is all that leads to it. In a folder of
    /// another account a file of root's proves nothing, since the owner of a folder may rename what is in it.
    private static func isRootsAlone(_ path: String) -> Bool {
        guard path.hasPrefix("/"), let target = realpath(path, nil) else { return false }
        defer { free(target) }
        // Also where links lead, as those of a mounted secret do.
        return [path, String(cString: target)].allSatisfy { way in
            var place = way
            while isRoots(place) {
                guard place != "/" else { return true }
                place = parent(of: place)
            }
            return false
        }
    }

    /// Whether an entry is root's, and nobody else may change what is in it; in a sticky folder, as those of mounted
    /// secrets are, nobody renames what is root's (unlink(2), rename(2)).
    private static func isRoots(_ path: String) -> Bool {
        var entry = stat()
        guard lstat(path, &entry) == 0, entry.st_uid == 0 else { return false }
        return entry.st_mode & S_IFMT != S_IFDIR || entry.st_mode & 0o022 == 0 || entry.st_mode & 0o1000 != 0
    }

    /// The folder, or the one on the way to it that is there; a link counts as there, wherever it leads.
    private static func existing(_ folder: String) -> String {
        var place = folder
        var entry = stat()
        // With a slash at its end a link would be followed.
        while place.count > 1, place.hasSuffix("/") { place.removeLast() }
        while lstat(place, &entry) != 0, errno == ENOENT, place != "/", place != "." { place = parent(of: place) }
        return place
    }

    /// The folder that an entry is in. Foundation's `deletingLastPathComponent` traps for a name of one letter.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
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
