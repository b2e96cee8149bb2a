import Foundation

extension NodeLock {
    /// The node names under which processes have a database file open for writing.
    static func holders(databasePath: String) -> [String] {
        let file = URL(fileURLWithPath: databasePath)
        let names = try? FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        let prefix = file.lastPathComponent + "."
        let nodes = (names ?? []).filter { $0.hasPrefix(prefix) && $0.hasSuffix(".lock") }
            .map { String($0.dropFirst(prefix.count).dropLast(".lock".count)) }
        return nodes.filter { node in
            let opened = open("\(databasePath).\(node).lock", O_RDWR | O_CLOEXEC)
            guard opened >= 0 else { return false }
            // Closing lets go of a lock that was free.
            defer { Foundation.close(opened) }
            return flock(opened, LOCK_EX | LOCK_NB) != 0
        }
    }
}
