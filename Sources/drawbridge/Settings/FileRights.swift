import Foundation

/// What keeps an account from a file, as far as owners and modes say, and what to do.
struct FileRights {
    /// The file itself, or a folder on the way to it.
    let path: String
    let owner: uid_t
    /// Whose the folder is that it is in.
    let folderOwner: uid_t
    let mode: mode_t

    /// - Returns: `nil` where owners and modes do not say.
    static func obstacle(to path: String) -> FileRights? {
        let path = URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
        let parts = path.split(separator: "/")
        var folder = "/"
        for part in parts.dropLast() {
            let outer = folder
            folder += "\(folder == "/" ? "" : "/")\(part)"
            if isDenied(folder, X_OK) { return FileRights(folder, in: outer) }
        }
        guard let name = parts.last else { return nil }
        let file = "\(folder == "/" ? "" : folder)/\(name)"
        if isDenied(file, R_OK | W_OK) { return FileRights(file, in: folder) }
        // A file that is made, or replaced.
        return isDenied(folder, W_OK) ? FileRights(folder, in: (folder as NSString).deletingLastPathComponent) : nil
    }

    private static func isDenied(_ path: String, _ rights: Int32) -> Bool {
        access(path, rights) != 0 && errno == EACCES
    }

    init(path: String, owner: uid_t, folderOwner: uid_t, mode: mode_t) {
        self.path = path
        self.owner = owner
        self.folderOwner = folderOwner
        self.mode = mode
    }

    private init?(_ path: String, in folder: String) {
        var status = stat()
        var outer = stat()
        guard stat(path, &status) == 0, stat(folder, &outer) == 0 else { return nil }
        self.init(path: path, owner: status.st_uid, folderOwner: outer.st_uid, mode: status.st_mode)
        guard isReason(for: geteuid()) else { return nil }
    }

    private var isFolder: Bool { mode & S_IFMT == S_IFDIR }

    /// Whether owner and mode keep the account out; access(2) also says no for an access list, SELinux or AppArmor.
    func isReason(for account: uid_t) -> Bool {
        let needed: mode_t = isFolder ? 0o700 : 0o600
        return owner != account || mode & needed != needed
    }

    /// What to do, as a sentence.
    /// - Parameter account: the one that was kept out.
    func remedy(for account: uid_t = geteuid()) -> String {
        let own = AccountName.of(account)
        guard owner != account else {
            let rights = isFolder ? "rwx" : "rw"
            let said = String(mode & 0o7777, radix: 8)
            return "\(path) belongs to \(own), which runs this, and its mode is 0\(said) (chmod u+\(rights) \(path))."
        }
        let whose = "\(path) belongs to \(AccountName.of(owner)), and this runs as \(own)"
        // As a command leaves it that root ran for the service.
        if folderOwner == account {
            return "\(whose), whose folder it is in: give it to \(own) (chown \(own) \(path))."
        }
        guard owner != 0 else {
            // Such as / or /etc/ssl/private: a folder of the system's is nobody else's to have.
            guard !isFolder else { return "\(whose): name another place\(mode & 0o001 == 0 ? "" : folder(for: own))." }
            return "\(whose): give it to the account that runs the server (chown), or name another place."
        }
        return "\(whose): \(AccountName.call(as: owner)), or name another place."
    }

    /// The advice to have a folder made, which helps only where everybody may pass.
    private func folder(for account: String) -> String {
        let example = "\(path == "/" ? "" : path)/NAME"
        return ", or have root make a folder there (install -d -o \(account) -m 700 \(example))"
    }
}

/// How messages name the accounts of this machine.
enum AccountName {
    /// The name, or the number of an account without one.
    static func of(_ account: uid_t) -> String { known(account) ?? "\(account)" }

    /// What to do for a command to be another account's.
    static func call(as account: uid_t) -> String {
        guard let name = known(account) else { return "run it as the account \(account)" }
        return "run it as \(name) (runuser -u \(name) -- drawbridge …)"
    }

    private static func known(_ account: uid_t) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { texts in
            guard let start = texts.baseAddress,
                getpwuid_r(account, &entry, start, texts.count, &found) == 0, found != nil
            else { return nil }
            return String(cString: entry.pw_name)
        }
    }
}
