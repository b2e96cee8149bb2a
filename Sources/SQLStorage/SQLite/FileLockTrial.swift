import Foundation

/// Asks a file system whether its locks are real, with a file that is locked and opened a second time.
///
/// SQLite and the node's name rest on them. There are file systems that take every lock and keep none, and those of a
/// network, where another machine hears nothing of the write-ahead log's shared memory.
struct FileLockTrial {
    let path: String
    /// A descriptor of the same file, locked by `flock`.
    let descriptor: CInt

    /// Network file systems, as the kernel calls them.
    private static let networks: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre", "9p", "ocfs2", "gfs2", "gpfs", "glusterfs",
        "fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.juicefs",
    ]

    /// - Throws: ``SQLiteOpenError/locksNotReal(path:reason:)``.
    func run() throws(SQLiteOpenError) {
        var status = stat()
        if fstat(descriptor, &status) == 0, let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo"),
            let name = Self.network(ofDevice: status.st_dev, in: String(decoding: mounts, as: UTF8.self))
        {
            throw .locksNotReal(path: path, reason: "it is on a network file system (\(name))")
        }
        let other = open(path, O_RDWR | O_CLOEXEC)
        guard other >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        defer { close(other) }
        guard flock(other, LOCK_EX | LOCK_NB) != 0 else {
            throw .locksNotReal(path: path, reason: "the file could be locked twice with flock")
        }
        var range = Self.range(F_WRLCK)
        guard fcntl(descriptor, F_SETLK, &range) == 0 else {
            throw .locksNotReal(path: path, reason: "fcntl: \(String(cString: strerror(errno)))")
        }
        // Asked as the owner of an open file, not as a process, which never is in its own way.
        var question = Self.range(F_WRLCK)
        guard fcntl(other, Self.getLockOfOpenFile, &question) == 0, question.l_type != CShort(F_UNLCK) else {
            throw .locksNotReal(path: path, reason: "a range locked with fcntl is free to others")
        }
    }

    /// The kind of the mounted file system that has the device's number, when it is a network's; proc_pid_mountinfo(5).
    static func network(ofDevice device: dev_t, in mounts: String) -> String? {
        let number = "\((device >> 8) & 0xFFF | (device >> 32) & ~0xFFF):\(device & 0xFF | (device >> 12) & ~0xFF)"
        for line in mounts.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count > 2, parts[2] == number, let end = parts.lastIndex(of: "-"), end + 1 < parts.count
            else { continue }
            return networks.contains(String(parts[end + 1])) ? String(parts[end + 1]) : nil
        }
        return nil
    }

    private static func range(_ type: CInt) -> flock {
        Glibc.flock(l_type: CShort(type), l_whence: CShort(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
    }

    /// `F_OFD_GETLK`, which Glibc shows to those alone who ask for GNU's extensions.
    private static let getLockOfOpenFile: CInt = 36
}
