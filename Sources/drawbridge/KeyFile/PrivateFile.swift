import Bridge
import Foundation
import SQLStorage

/// Files that hold secrets: only their owner may read them, and they are replaced whole or not at all.
enum PrivateFile {
    static let sizeLimit = 1 << 20

    /// Reads a file after checking, on the open descriptor, that nobody else could.
    /// - Throws: ``PrivateFileError``.
    static func read(_ path: String) throws(PrivateFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing(path) : .system(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
        guard status.st_mode & 0o077 == 0 else { throw .readableByOthers(path, mode: status.st_mode & 0o777) }
        guard status.st_size <= sizeLimit else { throw .tooLarge(path) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .system(path, errno)
            }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= sizeLimit else { throw .tooLarge(path) }
        }
    }

    /// As ``read(_:)``, for a file that need not be there.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``PrivateFileError``.
    static func readIfThere(_ path: String) throws -> [UInt8]? {
        // Of no declared type, and alone: the compiler breaks on a typed throw that is caught halfway through.
        do {
            return try read(path)
        } catch PrivateFileError.missing {
            return nil
        }
    }

    /// Replaces the file: written next to it, synced, renamed over it, and the rename synced too. A
    /// crash at any point leaves the old file or the new one.
    static func replace(_ path: String, with bytes: [UInt8]) throws(PrivateFileError) {
        let temporary = try draft(bytes, beside: path)
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw .system(path, code)
        }
        try synchronizeFolder(of: path)
    }

    /// Makes a file that is not there yet. A link appears whole or not at all, and never replaces: of two that make
    /// the same key at once, one is told that it was not the first.
    /// - Returns: whether this call made it; what was there stays as it is.
    static func create(_ path: String, with bytes: [UInt8]) throws(PrivateFileError) -> Bool {
        let temporary = try draft(bytes, beside: path)
        defer { unlink(temporary) }
        let isNew = link(temporary, path) == 0
        guard isNew || errno == EEXIST else { throw .system(path, errno) }
        // Whoever was first may not have come as far, and what is there is used from now on.
        try synchronizeFolder(of: path)
        return isNew
    }

    /// The bytes, on disk, in a file of this call beside the one that they are for.
    private static func draft(_ bytes: [UInt8], beside path: String) throws(PrivateFileError) -> String {
        // Not after the process: in containers that share a folder all have the same number.
        let temporary = "\(path).\(RandomSource.system.text(9)).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path, errno) }
        do throws(PrivateFileError) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor, path: path)
            guard fsync(descriptor) == 0 else { throw .system(path, errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        return temporary
    }

    /// Appends to a file, which is made when it is missing; on disk when this returns.
    static func append(_ path: String, _ bytes: [UInt8]) throws(PrivateFileError) {
        let isThere = access(path, F_OK) == 0
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path, errno) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path: path)
        guard fsync(descriptor) == 0 else { throw .system(path, errno) }
        if !isThere { try synchronizeFolder(of: path) }
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(PrivateFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(path, errno)
            }
            rest = rest.dropFirst(count)
        }
    }

    static func synchronizeFolder(of path: String) throws(PrivateFileError) {
        do throws(FolderSyncError) { try FolderSync.ofFile(at: path) } catch { throw .system(path, error.code) }
    }
}

/// Why a secret file could not be used; says what to do and never what is in it.
enum PrivateFileError: Error, Hashable, CustomStringConvertible {
    case missing(String)
    case notAFile(String)
    case readableByOthers(String, mode: UInt32)
    case tooLarge(String)
    case system(String, Int32)

    var description: String {
        switch self {
        case .missing(let path): "\(path) does not exist"
        case .notAFile(let path): "\(path) is not a regular file"
        case .readableByOthers(let path, let mode):
            "\(path) can be read by others (mode \(String(mode, radix: 8))); run: chmod 600 \(path)"
        case .tooLarge(let path): "\(path) is larger than \(PrivateFile.sizeLimit) bytes"
        case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
        }
    }
}
