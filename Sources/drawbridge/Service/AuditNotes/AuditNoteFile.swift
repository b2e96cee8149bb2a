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
        let size = try Self.size(descriptor, path)
        let (whole, isEnded) = try wholeLines(descriptor, size: size)
        guard whole == size || ftruncate(descriptor, off_t(whole)) == 0 else { throw .system(path, errno) }
        var bytes: [UInt8] = isEnded ? [] : [0x0A]
        for note in notes { bytes += note.json + [0x0A] }
        try PrivateFile.write(bytes, to: descriptor, path: path)
        guard fsync(descriptor) == 0 else { throw .system(path, errno) }
        if size == 0 { try PrivateFile.synchronizeFolder(of: path) }
        if whole + bytes.count > sizeLimit { try beginAnew() }
    }

    /// Every note that is kept; none where there is no file. A file that is there and cannot be read is an error: what the
    /// log was not compared with must not pass for what it extends.
    func read() throws(PrivateFileError) -> AuditKeptNotes {
        // In this order a file that is replaced meanwhile is read twice rather than not at all.
        var kept = try Self.read(path)
        kept.append(try Self.read(previousPath))
        return kept
    }

    /// Has the log verified beside what is kept here: each note, and each line that should be one and is none.
    func add(to terms: inout AuditVerificationTerms) throws(PrivateFileError) {
        for path in [path, previousPath] {
            let kept = try Self.read(path)
            terms.kept += kept.notes
            terms.unreadable += kept.malformedLines.map { .init(file: path, line: $0) }
        }
    }

    /// The notes at the file's end: the last ones of every node that writes, and soon read, however much came before.
    func readEnd() throws(PrivateFileError) -> AuditKeptNotes {
        guard let descriptor = try Self.openForReading(path) else { return AuditKeptNotes() }
        defer { close(descriptor) }
        let size = try Self.size(descriptor, path)
        let start = max(0, size - endSize)
        let bytes = try Self.bytes(descriptor, from: start, to: size, path)
        // What the first line begins with is not there.
        return Self.notes(in: start == 0 ? bytes[...] : bytes.drop { $0 != 0x0A })
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

    /// What is there but for the beginning of a line at the end, which a crash or a full disk left and which says nothing.
    /// - Returns: how many bytes that is, and whether the last line has its end.
    private func wholeLines(_ descriptor: Int32, size: Int) throws(PrivateFileError) -> (size: Int, isEnded: Bool) {
        let start = max(0, size - endSize)
        let bytes = try Self.bytes(descriptor, from: start, to: size, path)
        guard let last = bytes.last, last != 0x0A else { return (size, true) }
        let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 }
        // Of something else that is larger than any note nothing is removed.
        guard let rest = end ?? (start == 0 ? 0 : nil), AuditKeptNotes(bytes[rest...]).notes.isEmpty else {
            return (size, false)
        }
        return (start + rest, true)
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
        guard let descriptor = try openForReading(path) else { return AuditKeptNotes() }
        defer { close(descriptor) }
        return notes(in: try bytes(descriptor, from: 0, to: try size(descriptor, path), path)[...])
    }

    /// The beginning of a line at the end is no lost note: it is being written now, or a crash or a full disk left it, and
    /// the next one is written in its place.
    private static func notes(in bytes: ArraySlice<UInt8>) -> AuditKeptNotes {
        let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? bytes.startIndex
        var kept = AuditKeptNotes(withoutRests(bytes[..<end]))
        let rest = AuditKeptNotes(bytes[end...])
        if !rest.notes.isEmpty { kept.append(rest) }
        return kept
    }

    /// Drawbridge 0.1.0 ended what a crash had left of a line, and wrote on behind it: such a line is no lost note either.
    /// Every whole one of ours, damaged or not, ends in two braces. The others keep their numbers.
    private static func withoutRests(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let whole = lines.map { line in
            let text = line.last == 0x0D ? line.dropLast() : line
            return text.first == UInt8(ascii: "{") && !text.suffix(2).elementsEqual("}}".utf8) ? [] : line
        }
        return Array(whole.joined(separator: [0x0A]))
    }

    /// - Returns: `nil` where there is no such file, and only there: where this account may not look, there may be one.
    private static func openForReading(_ path: String) throws(PrivateFileError) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(path, errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile(path)
        }
        return descriptor
    }

    private static func size(_ descriptor: Int32, _ path: String) throws(PrivateFileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
        return Int(status.st_size)
    }

    private static func bytes(
        _ descriptor: Int32, from start: Int, to end: Int, _ path: String
    ) throws(PrivateFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: end - start)
        let count = pread(descriptor, &bytes, bytes.count, off_t(start))
        guard count >= 0 else { throw .system(path, errno) }
        // Fewer where a writer has just removed what a crash left.
        return Array(bytes.prefix(count))
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
