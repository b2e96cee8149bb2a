import ArgumentParser
import Bridge
import Crypto
import Foundation
import OAuth2
import SQLStorage

/// Copies the embedded database while servers use it.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the embedded database, in one consistent piece, while the server runs.",
        discussion: """
            DIR must not exist yet, or be empty; it is made for its owner alone. It gets the database, the names \
            of retired keys, the signed notes about the audit log, and backup.json, which says what there is and \
            its digest.

            What is secret in it: password hashes, and digests of tokens; signing keys and second factors are \
            sealed with the master key. NOT in it are master-key and audit-signing-key. Without master-key a \
            backup opens nothing and starts nothing: keep a copy of both keys, somewhere else.

            A PostgreSQL database is backed up by PostgreSQL's own means: pg_dump, or a base backup with its \
            write-ahead log. docs/postgresql.md says how, and what to do after it was restored.

            Example:
              drawbridge backup /backup/drawbridge-2026-05-03 \\
                  --config /etc/drawbridge/drawbridge.yaml
            """)

    @Argument(help: "The folder to write to.")
    var directory: String

    @OptionGroup var options: StorageOptions

    func run() async throws {
        let location = try options.location()
        guard location.database == nil else {
            throw CommandError(
                """
                A PostgreSQL database is backed up by its own means, for instance \
                pg_dump --format=custom --file=drawbridge.dump DATABASE. After it was restored, run drawbridge restore \
                --in-place before the servers start; they notice by themselves too. See docs/postgresql.md.
                """)
        }
        try options.requireDatabase(at: location)
        let folder = try BackupFolder.create(directory)
        let now = TimeSource.system.now()
        let cleanup = SignalCleanup { folder.empty() }
        defer { cleanup.end() }
        do {
            try await Self.watched(writing: folder.databasePath, copyOf: location.databasePath) {
                try SQLiteBackup.make(of: location.databasePath, at: folder.databasePath)
            }
            let events = try SQLiteBackup.events(in: folder.databasePath)
            for source in [location.retiredKeysPath, location.auditNoteFile.path, "\(location.auditNoteFile.path).1"] {
                try folder.take(source)
            }
            try folder.describe(madeAt: now, node: location.node, events: events)
        } catch {
            // A part of one is no backup, and may be what fills the disk.
            folder.empty()
            throw (error as? SQLiteOpenError).map { CommandError(clause: $0.description) } ?? error
        }
        StandardOutput.say("Backed up \(location.databasePath) to \(folder.path).")
        StandardOutput.say(
            "Not in it: master-key and audit-signing-key. Without master-key it cannot be used; keep both elsewhere.")
    }

    /// Shows how the copy grows. It may come out smaller than what it is of: what was deleted is not in it.
    private static func watched(
        writing target: String, copyOf source: String, _ work: () throws -> Void
    ) async throws {
        let progress = Progress(of: "MB", total: Self.megabytes(source))
        defer { progress.end() }
        guard progress.isShown else { return try work() }
        let watch = Task {
            for await _ in AsyncTimer(every: .milliseconds(500)) {
                progress.reach(megabytes(SQLiteBackup.unfinished(target)))
            }
        }
        defer { watch.cancel() }
        try work()
    }

    /// The size of a file; 0 for one that is not there yet.
    private static func megabytes(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size >> 20) : 0
    }
}

/// A folder with a backup.
struct BackupFolder {
    let path: String

    var databasePath: String { "\(path)/\(FileName.database)" }
    private var descriptionPath: String { "\(path)/backup.json" }

    /// What `backup.json` says.
    struct Contents: Codable {
        let version: String
        let madeAt: String
        let node: String
        let events: Int64
        /// SHA-256 of the database, hexadecimal.
        let digest: String

        enum CodingKeys: String, CodingKey {
            case version, node, events
            case madeAt = "made_at"
            case digest = "database_sha256"
        }
    }

    init(path: String) { self.path = URL(filePath: path).standardizedFileURL.path(percentEncoded: false) }

    /// - Throws: ``CommandError`` where something is in the way.
    static func create(_ path: String) throws -> BackupFolder {
        umask(0o077)
        let folder = BackupFolder(path: path)
        let manager = FileManager.default
        if manager.fileExists(atPath: folder.path) {
            var isFolder: ObjCBool = false
            guard manager.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw folder.isTaken
            }
            let names = try folder.names()
            guard names.isEmpty else { throw folder.isTaken(by: names) }
            guard chmod(folder.path, 0o700) == 0 else { throw CommandError("\(folder.path) is somebody else's.") }
        } else {
            do {
                try manager.createDirectory(
                    atPath: folder.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            } catch {
                throw SystemFailure(error, doing: "make the folder \(folder.path)")
            }
        }
        return folder
    }

    private var isTaken: CommandError {
        CommandError("\(path) is not an empty folder; each backup has one of its own.")
    }

    /// A backup that was killed leaves a part of one, which somebody else may be writing as well.
    private func isTaken(by names: [String]) -> CommandError {
        let unfinished = (SQLiteBackup.unfinished(databasePath) as NSString).lastPathComponent
        guard names.allSatisfy({ $0.hasPrefix(unfinished) }) else { return isTaken }
        return CommandError(
            "\(path) holds a part of a backup. If none is being written there, it was ended halfway: remove the folder, "
                + "or name another one.")
    }

    private func names() throws(SystemFailure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw SystemFailure(error, doing: "read the folder \(path)")
        }
    }

    /// Removes what is in it: as much as can be.
    fileprivate func empty() { for name in (try? names()) ?? [] { unlink(file(name)) } }

    /// Copies a file that a server keeps beside its database, if there is one.
    func take(_ source: String) throws {
        guard let bytes = try Self.contents(of: source) else { return }
        try PrivateFile.replace(file((source as NSString).lastPathComponent), with: Array(bytes))
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func describe(madeAt: Timestamp, node: String, events: Int64) throws {
        let contents = Contents(
            version: Version.text, madeAt: madeAt.rfc3339, node: node, events: events, digest: try digest())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try PrivateFile.replace(descriptionPath, with: Array(try encoder.encode(contents)) + [0x0A])
    }

    /// What the folder says that it holds, once it is sure that it does.
    /// - Throws: ``CommandError``.
    func verified() throws -> Contents {
        guard let bytes = try Self.contents(of: descriptionPath),
            let contents = try? JSONDecoder().decode(Contents.self, from: bytes)
        else {
            let isThere = access(path, F_OK) == 0
            throw CommandError(
                isThere
                    ? "\(path) is not a backup: it has no readable backup.json."
                    : """
                    \(path) is not a backup: there is no such folder. For a database that was restored by other means \
                    there is drawbridge restore --in-place.
                    """)
        }
        guard try digest() == contents.digest else {
            throw CommandError("\(databasePath) is not what was backed up: its digest is another.")
        }
        return contents
    }

    private func digest() throws -> String {
        var digest = SHA256()
        guard try Self.read(databasePath, { digest.update(data: $0) }) else {
            throw CommandError("\(path) is not a backup: it has no \(FileName.database).")
        }
        return HexDigit.encode(digest.finalize())
    }

    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``SystemFailure`` for one that cannot be read.
    static func contents(of path: String) throws(SystemFailure) -> Data? {
        var bytes = Data()
        guard try Self.read(path, { bytes.append($0) }) else { return nil }
        return bytes
    }

    /// - Returns: whether there is such a file.
    private static func read(_ path: String, _ take: (Data) -> Void) throws(SystemFailure) -> Bool {
        let task = "read \(path)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let code = errno
        guard descriptor >= 0 else {
            guard code == ENOENT || code == ENOTDIR else { throw SystemFailure(code: code, doing: task, at: path) }
            return false
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { take(part) }
        } catch {
            throw SystemFailure(error, doing: task)
        }
        return true
    }
}
