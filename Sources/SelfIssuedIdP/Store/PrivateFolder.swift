import Foundation

/// A folder of files that only this user may read.
struct PrivateFolder: Sendable {
    private let url: URL
    private static let maximumFile = 65_536

    init(_ url: URL) { self.url = url }

    /// - Returns: `nil` when there is no such file.
    /// - Throws: when folder or file are open to others: what is in it may have been taken, or put there.
    func read(_ name: String) throws(PhoneRefusal) -> [UInt8]? {
        guard try isThere() else { return nil }
        let file = path(name)
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.unusable("\(file) cannot be opened: \(Self.lastProblem)")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw PhoneRefusal(
                .storeOpenToOthers,
                "\(file) is open to others (mode \(mode)) or not yours; a key that others could take is not used")
        }
        guard status.st_size <= Self.maximumFile, let bytes = try? handle.readToEnd() ?? Data() else {
            throw Self.unusable("\(file) cannot be read")
        }
        return Array(bytes)
    }

    /// Writes a temporary file, flushes it, and moves it into its place: replacing what is there, or only where nothing
    /// is.
    /// - Returns: `false` when something is there that stays.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String, replacing: Bool) throws(PhoneRefusal) -> Bool {
        if try !isThere() { try make() }
        let file = path(name)
        let draft = "\(file).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).draft"
        // Never readable by others, not even for a moment.
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unusable("\(draft) cannot be made: \(Self.lastProblem)") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { unlink(draft) }
        do {
            try handle.write(contentsOf: Data(bytes))
            try handle.synchronize()
            try handle.close()
        } catch {
            throw Self.unusable("\(draft) cannot be written")
        }
        if replacing {
            guard rename(draft, file) == 0 else {
                throw Self.unusable("\(file) cannot be replaced: \(Self.lastProblem)")
            }
        } else if link(draft, file) != 0 {
            guard errno == EEXIST else { throw Self.unusable("\(file) cannot be made: \(Self.lastProblem)") }
            return false
        }
        try flush()
        return true
    }

    /// - Returns: whether there was one.
    @discardableResult
    func remove(_ name: String) throws(PhoneRefusal) -> Bool {
        let file = path(name)
        guard unlink(file) == 0 else {
            if errno == ENOENT { return false }
            throw Self.unusable("\(file) cannot be removed: \(Self.lastProblem)")
        }
        try flush()
        return true
    }

    func names() throws(PhoneRefusal) -> [String] {
        guard try isThere() else { return [] }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw Self.unusable("\(path) cannot be listed")
        }
        return names.sorted()
    }

    private func isThere() throws(PhoneRefusal) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw Self.unusable("\(path) cannot be looked at: \(Self.lastProblem)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw Self.unusable("\(path) is no folder") }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw PhoneRefusal(
                .storeOpenToOthers, "\(path) is open to others (mode \(mode)) or not yours; keys need one of mode 700")
        }
        return true
    }

    /// Never open to others, not even for a moment: another process at the same time would refuse it.
    private func make() throws(PhoneRefusal) {
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw Self.unusable("\(path) cannot be made")
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Self.unusable("\(path) cannot be made: \(Self.lastProblem)")
        }
        _ = try isThere()
    }

    /// What was named or removed is so after a loss of power as well.
    private func flush() throws(PhoneRefusal) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw Self.unusable("\(path) cannot be opened: \(Self.lastProblem)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.unusable("\(path) cannot be flushed: \(Self.lastProblem)") }
    }

    private var path: String { url.path(percentEncoded: false) }
    /// Where a file is, for words about it.
    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
    private static var lastProblem: String { String(cString: strerror(errno)) }
    private static func unusable(_ words: String) -> PhoneRefusal { PhoneRefusal(.storeUnusable, words) }
}
