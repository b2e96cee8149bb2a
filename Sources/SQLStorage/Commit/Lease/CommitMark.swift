import Bridge
import Foundation
import OAuth2
import Synchronization

/// The last commit of a node, noted beside the database and not in it: a database restored to an earlier state
/// contradicts it (ADR-0030).
///
/// A page of a file that is written through memory, so that a note costs no call and outlives the process, however it
/// ends. What a machine that loses its power had not written yet is lost; that it did is known from the kernel's run, and
/// then nothing is certain.
final class CommitMark: Sendable {
    enum Found: Hashable, Sendable {
        case missing
        case certain(SeenCommit)
        /// The machine stopped meanwhile, or this is a copy of the file.
        case doubtful
    }

    private struct Page: @unchecked Sendable {
        // Only touched under the lock.
        var start: UnsafeMutableRawPointer?
        var descriptor: CInt
        var count: UInt64 = 0
        /// What the file is to say of itself with the first note; `nil` once it does.
        var unsaid: Header?
    }

    /// Which file this is.
    private struct Header {
        let inode: UInt64
        /// See ``CommitMark/generation(of:)``.
        let generation: UInt32

        /// Says so, and that the file is in use in this run of the kernel.
        func write(to start: UnsafeMutableRawPointer) {
            start.copyMemory(from: CommitMark.name, byteCount: CommitMark.name.count)
            start.storeBytes(of: inode, toByteOffset: CommitMark.inodePlace, as: UInt64.self)
            start.storeBytes(of: generation, toByteOffset: CommitMark.generationPlace, as: UInt32.self)
            start.storeBytes(of: 0, toByteOffset: CommitMark.cleanPlace, as: UInt64.self)
            let run = CommitMark.padded(KernelRun.id ?? "", to: CommitMark.runLength)
            (start + CommitMark.runPlace).copyMemory(from: run, byteCount: run.count)
        }
    }

    /// What the file said when it was opened.
    let found: Found
    private let page: Mutex<Page>

    // Layout: 8 bytes of name, 8 of inode, 8 that are 1 after a clean end, 36 of the kernel's run, 4 of the inode's
    // generation; then two notes in turn, so that one is whole whenever the process ends.
    private static let name: [UInt8] = Array("DBMARK1\n".utf8)
    private static let length = 512
    private static let inodePlace = 8
    private static let cleanPlace = 16
    private static let runPlace = 24
    private static let runLength = 36
    private static let generationPlace = 60
    private static let notePlaces = [64, 256]
    private static let hashLength = 64
    /// How much of a note each of its two sums is of: three numbers and the hash; then also the first sum and two numbers
    /// that earlier versions did not write.
    private static let summed = (first: 24 + hashLength, second: 24 + hashLength + 24)

    /// - Parameter synchronizeFolder: brings a file's name to the disk; a parameter for tests.
    /// - Throws: ``CommitMarkError``.
    init(
        path: String, synchronizeFolder: (_ path: String) throws(FolderSyncError) -> Void = FolderSync.ofFile(at:)
    ) throws {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw CommitMarkError(path: path, code: errno) }
        do {
            var status = stat()
            guard fstat(opened, &status) == 0 else { throw CommitMarkError(path: path, code: errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw CommitMarkError(path: path, code: EINVAL) }
            let isNew = status.st_size == 0
            // Blocks of its own from the start: a page without would end the process on a full disk.
            if status.st_size != Self.length {
                var bytes = [UInt8](repeating: 0, count: Self.length)
                guard ftruncate(opened, 0) == 0, write(opened, &bytes, bytes.count) == bytes.count else {
                    throw CommitMarkError(path: path, code: errno)
                }
            }
            guard
                let start = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0),
                start != MAP_FAILED
            else { throw CommitMarkError(path: path, code: errno) }
            let header = Header(inode: UInt64(status.st_ino), generation: Self.generation(of: opened))
            let found: Found =
                isNew ? .missing : Self.read(start, inode: header.inode, generation: header.generation)
            self.found = found
            // A doubt stays in the file until there is a note: by then the database knows of it. A start that fails
            // before must not leave a file that looks like any other.
            if found != .doubtful { header.write(to: start) }
            // On the disk before anything is written that it speaks of.
            guard msync(start, Self.length, MS_SYNC) == 0, fsync(opened) == 0 else {
                throw CommitMarkError(path: path, code: errno)
            }
            do throws(FolderSyncError) { try synchronizeFolder(path) } catch {
                throw CommitMarkError(path: path, code: error.code)
            }
            // Counted on from what is there: the higher number is the later note.
            let count = Self.notes(start).map(\.count).max() ?? 0
            page = Mutex(
                Page(start: start, descriptor: opened, count: count, unsaid: found == .doubtful ? header : nil))
        } catch {
            Foundation.close(opened)
            throw error
        }
    }

    /// What the file of a process that may run now says, without a part in it.
    static func glance(at path: String) -> Found {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return .missing }
        defer { Foundation.close(opened) }
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: length)
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == length,
            pread(opened, &bytes, length, 0) == length
        else { return .doubtful }
        return bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return .doubtful }
            return read(start, inode: UInt64(status.st_ino), generation: generation(of: opened))
        }
    }

    deinit {
        page.withLock { page in
            if let start = page.start { munmap(start, Self.length) }
            if page.descriptor >= 0 { Foundation.close(page.descriptor) }
        }
    }

    func note(_ commit: SeenCommit) {
        page.withLock { page in
            guard let start = page.start else { return }
            page.count += 1
            let bytes = Self.encode(commit, count: page.count)
            (start + Self.notePlaces[Int(page.count % 2)]).copyMemory(from: bytes, byteCount: bytes.count)
            page.unsaid?.write(to: start)
            page.unsaid = nil
        }
    }

    /// Says that nothing comes after what was noted last.
    func close() {
        page.withLock { page in
            guard let start = page.start else { return }
            msync(start, Self.length, MS_SYNC)
            // Without a note nothing is known of the end.
            if page.unsaid == nil { start.storeBytes(of: 1, toByteOffset: Self.cleanPlace, as: UInt64.self) }
            msync(start, Self.length, MS_SYNC)
            fsync(page.descriptor)
            munmap(start, Self.length)
            page.start = nil
        }
    }

    /// A file system gives the inode of a file that was removed to the next one, a copy for instance; this number tells
    /// them apart (FS_IOC_GETVERSION). 0 where the file system keeps none.
    private static func generation(of descriptor: CInt) -> UInt32 {
        var generation: CLong = 0
        guard ioctl(descriptor, UInt(0x8008_7601), &generation) == 0 else { return 0 }
        return UInt32(truncatingIfNeeded: generation)
    }

    private static func read(_ start: UnsafeMutableRawPointer, inode: UInt64, generation: UInt32) -> Found {
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        let kept = bytes.load(fromByteOffset: generationPlace, as: UInt32.self)
        guard bytes.prefix(name.count).elementsEqual(name),
            bytes.load(fromByteOffset: inodePlace, as: UInt64.self) == inode,
            // 0 in files of the version before, which kept none.
            kept == generation || kept == 0
        else { return .doubtful }
        let isSameRun = bytes[runPlace..<runPlace + runLength].elementsEqual(padded(KernelRun.id ?? "", to: runLength))
        let isClean = bytes.load(fromByteOffset: cleanPlace, as: UInt64.self) == 1
        guard isClean || (isSameRun && KernelRun.id != nil) else { return .doubtful }
        return notes(start).max { $0.count < $1.count }.map { .certain($0.commit) } ?? .doubtful
    }

    private static func notes(_ start: UnsafeMutableRawPointer) -> [(count: UInt64, commit: SeenCommit)] {
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        return notePlaces.compactMap { decode(Array(bytes[$0..<$0 + 160])) }
    }

    private static func encode(_ commit: SeenCommit, count: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(160)
        for number in [count, UInt64(bitPattern: commit.sequence), UInt64(bitPattern: commit.transaction)] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes += padded(commit.hash, to: hashLength)
        withUnsafeBytes(of: sum(bytes).littleEndian) { bytes.append(contentsOf: $0) }
        guard let epoch = commit.epoch else { return bytes }
        for number in [UInt64(bitPattern: epoch.number), UInt64(bitPattern: epoch.at.milliseconds)] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        withUnsafeBytes(of: sum(bytes).littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private static func decode(_ bytes: [UInt8]) -> (count: UInt64, commit: SeenCommit)? {
        func number(_ place: Int) -> UInt64 {
            bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let (length, whole) = (summed.first, summed.second)
        guard sum(Array(bytes[..<length])) == number(length), number(0) > 0,
            let hash = String(validating: bytes[24..<length].prefix { $0 != 0 }, as: UTF8.self)
        else { return nil }
        var commit = SeenCommit(
            sequence: Int64(bitPattern: number(8)), hash: hash, transaction: Int64(bitPattern: number(16)))
        // What an earlier version wrote over the first part has another count, and so another sum.
        if sum(Array(bytes[..<whole])) == number(whole) {
            commit.epoch = SeenCommit.Epoch(
                number: Int64(bitPattern: number(length + 8)),
                at: Timestamp(milliseconds: Int64(bitPattern: number(length + 16))))
        }
        return (number(0), commit)
    }

    /// FNV-1a: tells a half-written note, not a forged one. Who can write here can do worse.
    private static func sum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private static func padded(_ text: String, to length: Int) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(length))
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }
}

/// The file cannot be kept.
struct CommitMarkError: Error, CustomStringConvertible {
    let path: String
    let code: CInt

    var reason: String { String(cString: strerror(code)) }

    var description: String { "\(path) cannot be written: \(reason)" }
}
