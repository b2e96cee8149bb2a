import Foundation

/// Brings the names in a folder to the disk: without that a power cut can take a new file away, however well its bytes
/// were written (fsync(2)).
package enum FolderSync {
    /// The folder of a file; the names in it are on the disk when this returns.
    /// - Throws: ``FolderSyncError``.
    package static func ofFile(at path: String) throws(FolderSyncError) {
        let folder = (path as NSString).deletingLastPathComponent
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FolderSyncError(code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FolderSyncError(code: errno) }
    }
}

/// A name may not last.
package struct FolderSyncError: Error, Hashable, Sendable {
    /// The system's number for why.
    package let code: Int32
}
