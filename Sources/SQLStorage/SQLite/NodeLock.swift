import Foundation
import OAuth2
import Synchronization

/// Holds a node's name for one process: two writers of one chain would fork it.
///
/// An advisory lock (`flock`) on a file beside the database; the kernel lets go of it when the process ends, however
/// it ends.
final class NodeLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// - Parameter pause: passes before it is tried again, since whoever asks whether a name is held has it for a moment.
    /// - Throws: ``SQLiteOpenError``.
    init(
        databasePath: String, node: String, pause: () -> Void = { Thread.sleep(forTimeInterval: 0.005) }
    ) throws(SQLiteOpenError) {
        guard Self.isName(node) else { throw .badNodeName(node) }
        let path = "\(databasePath).\(node).lock"
        // A link would have a command of root's make a file wherever whoever owns the folder wants one.
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else {
            let reason = errno == ELOOP ? "it is a link" : String(cString: strerror(errno))
            throw .cannotOpen(path: path, reason: reason)
        }
        guard Self.isLocked(opened, after: pause) else {
            Foundation.close(opened)
            throw .nodeInUse(node)
        }
        do throws(SQLiteOpenError) {
            try FileLockTrial(path: path, descriptor: opened).run()
        } catch {
            Foundation.close(opened)
            throw error
        }
        descriptor = Mutex(opened)
    }

    private static func isLocked(_ opened: CInt, after pause: () -> Void) -> Bool {
        if flock(opened, LOCK_EX | LOCK_NB) == 0 { return true }
        pause()
        return flock(opened, LOCK_EX | LOCK_NB) == 0
    }

    deinit { release() }

    /// Lets another process have the name.
    func release() {
        descriptor.withLock { descriptor in
            if let opened = descriptor { Foundation.close(opened) }
            descriptor = nil
        }
    }

    /// The names that have a lock's file, whether a process holds it or not.
    static func names(databasePath: String) -> [String] {
        let folder = (databasePath as NSString).deletingLastPathComponent
        let prefix = "\((databasePath as NSString).lastPathComponent)."
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return files.compactMap { name in
            name.hasPrefix(prefix) && name.hasSuffix(".lock") ? String(name.dropFirst(prefix.count).dropLast(5)) : nil
        }
    }

    /// Whether a process holds a name now. For the moment of the question nobody else can take it.
    static func isHeld(databasePath: String, node: String) -> Bool {
        let opened = open("\(databasePath).\(node).lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard opened >= 0 else { return false }
        defer { Foundation.close(opened) }
        return flock(opened, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    // The name becomes part of a file name.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(ASCII.isNameByte)
    }
}
