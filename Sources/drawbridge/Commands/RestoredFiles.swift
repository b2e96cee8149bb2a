import Bridge
import Foundation

/// What a backup has beside its database, as far as this machine does not know better.
///
/// It is read before anything is replaced: where it cannot be, a restore leaves everything as it was.
struct RestoredFiles {
    private let retiredKeys: RetiredKeyFile
    /// Names of retired keys that the machine has not noted.
    private let retired: Set<String>
    /// The files of signed notes, the older one first; none where the machine has kept its own.
    private let noteFiles: [(path: String, bytes: Data)]

    /// - Parameter retired: the keys that the database knows as retired which is about to be replaced.
    /// - Throws: ``PrivateFileError`` or ``SystemFailure`` for a file that cannot be read.
    init(of folder: BackupFolder, at location: StorageLocation, retired: Set<String>) throws {
        retiredKeys = RetiredKeyFile(path: location.retiredKeysPath)
        self.retired = try RetiredKeyFile(path: folder.file(FileName.retiredKeys)).ids()
            .union(retired).subtracting(retiredKeys.ids())
        let file = location.auditNoteFile
        let paths = file.exists ? [] : ["\(file.path).1", file.path]
        noteFiles = try paths.compactMap { path -> (path: String, bytes: Data)? in
            let name = (path as NSString).lastPathComponent
            guard let bytes = try BackupFolder.contents(of: folder.file(name)) else { return nil }
            return (path, bytes)
        }
    }

    /// What was signed about the log when the backup was made, where the machine knows nothing of that.
    var notes: [AuditNote] { noteFiles.flatMap { AuditKeptNotes($0.bytes).notes } }

    /// Has the machine remember which keys are retired: before the database is replaced, because a key is retired for
    /// ever, whatever comes of the restore.
    func noteRetiredKeys() throws {
        if !retired.isEmpty { try retiredKeys.add(retired) }
    }

    /// Writes the signed notes beside their places: when the database is replaced, nothing is left that takes room.
    func stageNotes() throws {
        for (path, bytes) in noteFiles { try PrivateFile.replace(Self.staged(path), with: Array(bytes)) }
    }

    /// Puts the signed notes where servers look for them, once the database is in its place that they are about.
    func placeNotes() throws {
        for (path, _) in noteFiles {
            guard rename(Self.staged(path), path) == 0 else { throw PrivateFileError.system(path, errno) }
            try PrivateFile.synchronizeFolder(of: path)
        }
    }

    /// Removes what was written and not put in its place.
    func removeStagedNotes() {
        for (path, _) in noteFiles { unlink(Self.staged(path)) }
    }

    private static func staged(_ path: String) -> String { "\(path).restoring" }
}
