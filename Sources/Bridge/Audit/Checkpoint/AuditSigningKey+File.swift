import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension AuditSigningKey {
    /// Reads a key file.
    package static func load(path: String) throws -> AuditSigningKey {
        guard access(path, R_OK) == 0 else { throw Problem.unreadable(path: path, code: errno) }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Problem.unreadable(path: path, code: EIO)
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = try? AuditSigningKey(text: Secret(text)) else { throw Problem.malformedFile(path: path) }
        return key
    }

    /// Reads a key file, or makes a key and the file when there is none.
    ///
    /// Of two processes that start at once, one makes the key and both use it.
    package static func loadOrGenerate(
        path: String, name: String, random: RandomSource = .system
    ) throws -> AuditSigningKey {
        if access(path, F_OK) == 0 { return try load(path: path) }
        try generate(name: name, random: random).write(path: path, random: random)
        return try load(path: path)
    }

    /// Writes the key to a new file that only its owner can read; a file that is there stays as it is.
    package func write(path: String, random: RandomSource = .system) throws {
        let temporary = "\(path).\(random.text(9))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Problem.unwritable(path: path, code: errno) }
        defer { unlink(temporary) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
        do {
            try handle.write(contentsOf: Data((text.expose() + "\n").utf8))
            try handle.synchronize()
            try handle.close()
        } catch {
            throw Problem.unwritable(path: path, code: Self.code(of: error))
        }
        // A link appears whole or not at all, and never replaces: a key that is gone cannot vouch for its checkpoints.
        guard link(temporary, path) == 0 || errno == EEXIST else { throw Problem.unwritable(path: path, code: errno) }
        // The name must last too: checkpoints signed by a key that a power cut took away could never be verified.
        let folder = (path as NSString).deletingLastPathComponent
        let directory = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Problem.unwritable(path: path, code: errno) }
        defer { _ = close(directory) }
        guard fsync(directory) == 0 else { throw Problem.unwritable(path: path, code: errno) }
    }

    /// The system's number for what Foundation tells in its own words.
    private static func code(of error: any Error) -> Int32 {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.domain == NSPOSIXErrorDomain ? Int32(cause.code) : EIO
    }
}
