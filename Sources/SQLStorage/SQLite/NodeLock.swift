import Foundation
import OAuth2
import Synchronization

/// Holds a node's name for one process: two writers of one chain would fork it.
///
/// An advisory lock (`flock`) on a file beside the database; the kernel lets go of it when the process ends, however
/// it ends.
final class NodeLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// - Throws: ``SQLiteOpenError``.
    init(databasePath: String, node: String) throws(SQLiteOpenError) {
        guard Self.isName(node) else { throw .badNodeName(node) }
        let path = "\(databasePath).\(node).lock"
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
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

    deinit { release() }

    /// Lets another process have the name.
    func release() {
        descriptor.withLock { descriptor in
            if let opened = descriptor { Foundation.close(opened) }
            descriptor = nil
        }
    }

    // The name becomes part of a file name.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(ASCII.isNameByte)
    }
}
