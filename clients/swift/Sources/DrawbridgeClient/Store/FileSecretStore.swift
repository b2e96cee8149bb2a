public import Foundation

/// Keeps each secret in a file of its own that only this user may read (0600), in a folder that only they may enter.
///
/// For desktops without a secret service. Anything that can read the user's files can read the secrets; what runs as
/// another user cannot.
public struct FileSecretStore: SecretStore {
    private let folder: URL

    /// - Parameter folder: made on the first write, with mode 0700; one that is there must have no other.
    public init(folder: URL) { self.folder = folder }

    /// Refuses a folder that is there already and that others may enter; one that is not there is fine.
    public func checkFolder() throws(ClientError) {
        let path = folder.path
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .secretStore("\(path) cannot be looked at: \(Self.lastProblem)")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .secretStore("\(path) is open to others (mode \(mode)); secrets need one of mode 700")
        }
    }

    /// As ``SecretStore/read(_:)`` says. A file that others may read is not used: its content may have been taken.
    public func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? {
        try checkFolder()
        let file = path(of: item)
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .secretStore("\(file) cannot be opened: \(Self.lastProblem)")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw .secretStore("\(file) is open to others; remove it and sign in again")
        }
        guard let bytes = try? handle.readToEnd() ?? Data(), let text = String(data: bytes, encoding: .utf8) else {
            throw .secretStore("\(file) cannot be read")
        }
        return Redacted(text)
    }

    /// As ``SecretStore/write(_:to:)`` says: written beside, renamed over the old one, and both flushed.
    public func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        try makeFolder()
        let file = path(of: item)
        let draft = "\(file)\(Self.draftMark)\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        // Never readable by others, not even for a moment.
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .secretStore("\(draft) cannot be made: \(Self.lastProblem)") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(secret.expose().utf8))
            try handle.synchronize()
            try handle.close()
        } catch {
            unlink(draft)
            throw .secretStore("\(draft) cannot be written")
        }
        guard rename(draft, file) == 0 else {
            let problem = Self.lastProblem
            unlink(draft)
            throw .secretStore("\(file) cannot be replaced: \(problem)")
        }
        try synchronizeFolder()
    }

    /// As ``SecretStore/remove(_:)`` says; what a process that was killed had begun to write of it goes as well.
    public func remove(_ item: SecretItem) async throws(ClientError) {
        let file = path(of: item)
        let wasDrafted = removeDrafts(of: item)
        if unlink(file) != 0 {
            guard errno == ENOENT else { throw .secretStore("\(file) cannot be removed: \(Self.lastProblem)") }
            guard wasDrafted else { return }
        }
        try synchronizeFolder()
    }

    /// As ``SecretStore/lock(_:)`` says: by an empty file beside the secret's, which stays there.
    public func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock {
        try makeFolder()
        return try await FileLock(path: path(of: item, "lock")).hold()
    }

    /// - Returns: whether there were any.
    private func removeDrafts(of item: SecretItem) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let drafts = names.filter { $0.hasPrefix(name(of: item) + Self.draftMark) }
        for draft in drafts { unlink(folder.appendingPathComponent(draft).path) }
        return !drafts.isEmpty
    }

    private func makeFolder() throws(ClientError) {
        try checkFolder()
        do {
            try FileManager.default.createDirectory(
                at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw .secretStore("\(folder.path) cannot be made")
        }
        // Never open to others, not even for a moment: a program that comes at the same time would refuse it.
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
            throw .secretStore("\(folder.path) cannot be made: \(Self.lastProblem)")
        }
        try checkFolder()
    }

    /// Brings the names to the disk: after a power cut the token that is used up would be back, and its next use be
    /// taken for a theft (contract §5.2). Some file systems take no such call, and what was written is written.
    private func synchronizeFolder() throws(ClientError) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .secretStore("\(folder.path) cannot be opened: \(Self.lastProblem)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw .secretStore("\(folder.path) cannot be brought to the disk: \(Self.lastProblem)")
        }
    }

    /// Names are escaped, so that none leads out of the folder and no two are one. A secret's begins with an escaped `=`, or
    /// with `+`: none is a lock's.
    private func name(of item: SecretItem) -> String {
        [item.accessGroup.map { "=\($0)" } ?? "", item.service, item.account].map(FormEncoding.escape)
            .joined(separator: "+")
    }

    private func path(of item: SecretItem, _ kind: String = "") -> String {
        folder.appendingPathComponent(kind + name(of: item)).path
    }

    /// Between a secret's name and the rest of its draft's: in no name, where it is escaped.
    private static let draftMark = "="

    private static var lastProblem: String { String(cString: strerror(errno)) }
}
