import Bridge
import Foundation

/// The file beside the audit signing key that signed notes are appended to: what a writer of the database alone cannot
/// take back.
///
/// One note per line, as in an export. Any number of processes may add to it: each takes a lock on it and writes whole
/// lines. When it has grown large it becomes `<path>.1`, in the place of the one before, and a new file begins with the
/// last notes about each node: none of what they say is lost with the older ones, because a chain's last hash covers
/// all before it.
struct AuditNoteFile: Sendable {
    let path: String
    /// Bytes from which a new file is begun: a week of one checkpoint a minute.
    var sizeLimit = 4 << 20
    /// Bytes that ``readEnd()`` reads: some hundred notes.
    var endSize = 1 << 16

    /// - Parameter signingKeyPath: the key's file, in whose folder it is.
    init(besideSigningKey signingKeyPath: String) {
        let folder = (signingKeyPath as NSString).deletingLastPathComponent
        path = (folder as NSString).appendingPathComponent("audit-checkpoints")
    }

    private var previousPath: String { "\(path).1" }

    /// Whether a process has kept notes here before.
    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Adds notes; they are on the disk when this returns.
    func append(_ notes: [AuditNote]) throws(PrivateFileError) {
        let descriptor = try openLocked()
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
        // What a crash left of a line must not take the next one along.
        var bytes: [UInt8] = Self.endsInsideLine(descriptor, size: status.st_size) ? [0x0A] : []
        for note in notes { bytes += note.json + [0x0A] }
        try PrivateFile.write(bytes, to: descriptor, path: path)
        guard fsync(descriptor) == 0 else { throw .system(path, errno) }
        if status.st_size == 0 { try PrivateFile.synchronizeFolder(of: path) }
        if Int(status.st_size) + bytes.count > sizeLimit { try beginAnew() }
    }

    /// Every note that is kept; none where there is no file.
    func read() throws(PrivateFileError) -> AuditKeptNotes {
        // In this order a file that is replaced meanwhile is read twice rather than not at all.
        var kept = try Self.read(path)
        kept.append(try Self.read(previousPath))
        return kept
    }

    /// Lines that should be a note and are none.
    func unreadableLines() throws(PrivateFileError) -> [AuditVerificationTerms.UnreadableLine] {
        var lines: [AuditVerificationTerms.UnreadableLine] = []
        for path in [path, previousPath] {
            lines += try Self.read(path).malformedLines.map { .init(file: path, line: $0) }
        }
        return lines
    }

    /// The notes at the file's end: the last ones of every node that writes, and soon read, however much came before.
    func readEnd() throws(PrivateFileError) -> AuditKeptNotes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return AuditKeptNotes() }
            throw .system(path, errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
        let start = max(0, Int(status.st_size) - endSize)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) - start)
        guard pread(descriptor, &bytes, bytes.count, off_t(start)) == bytes.count else { throw .system(path, EIO) }
        // What the first line begins with is not there.
        return AuditKeptNotes(start == 0 ? bytes[...] : bytes.drop { $0 != 0x0A })
    }

    /// Gives the files other names, so that a new one can begin: what they say is kept.
    /// - Returns: the new names.
    func setAside(at now: Timestamp) throws(PrivateFileError) -> [String] {
        let descriptor = try openLocked()
        defer { close(descriptor) }
        let ending = "accepted-\(now.rfc3339.filter { $0 != ":" })"
        var names: [String] = []
        for path in [previousPath, path] where FileManager.default.fileExists(atPath: path) {
            let name = "\(path).\(ending)"
            guard rename(path, name) == 0 else { throw .system(path, errno) }
            names.append(name)
        }
        try PrivateFile.synchronizeFolder(of: path)
        return names
    }

    /// Opens and locks the file that has the name now.
    private func openLocked() throws(PrivateFileError) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw .system(path, errno) }
            do throws(PrivateFileError) {
                if try take(descriptor) { return descriptor }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    /// - Returns: `false` when another process has meanwhile given the name to another file.
    private func take(_ descriptor: Int32) throws(PrivateFileError) -> Bool {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system(path, errno) }
        }
        var opened = stat()
        guard fstat(descriptor, &opened) == 0 else { throw .system(path, errno) }
        guard opened.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
        guard opened.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0 else { throw .system(path, errno) }
        var named = stat()
        return lstat(path, &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    private static func endsInsideLine(_ descriptor: Int32, size: Int) -> Bool {
        var last: UInt8 = 0
        return size > 0 && pread(descriptor, &last, 1, off_t(size - 1)) == 1 && last != 0x0A
    }

    /// Called with the lock held.
    private func beginAnew() throws(PrivateFileError) {
        var carried: [UInt8] = []
        for note in try Self.read(path).newest { carried += note.json + [0x0A] }
        // With very many nodes the last notes alone may be too much; then the file simply grows.
        guard carried.count < sizeLimit / 2 else { return }
        let link = "\(path).\(getpid()).link"
        unlink(link)
        guard Foundation.link(path, link) == 0 else { throw .system(path, errno) }
        guard rename(link, previousPath) == 0 else { throw .system(previousPath, errno) }
        // At no moment is there no file of this name.
        try PrivateFile.replace(path, with: carried)
    }

    private static func read(_ path: String) throws(PrivateFileError) -> AuditKeptNotes {
        guard FileManager.default.fileExists(atPath: path) else { return AuditKeptNotes() }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .system(path, EIO) }
        return AuditKeptNotes(bytes)
    }
}

extension AuditKeptNotes {
    /// The last checkpoint and the last cut of each node.
    fileprivate var newest: [AuditNote] {
        var newest: [String: AuditNote] = [:]
        for note in notes {
            let key = "\(note.name) \(note.node)"
            if newest[key].map({ $0.sequence <= note.sequence }) ?? true { newest[key] = note }
        }
        return newest.sorted { $0.key < $1.key }.map(\.value)
    }
}
