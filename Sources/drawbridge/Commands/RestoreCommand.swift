import ArgumentParser
import Bridge
import Foundation
import Logging
import SQLStorage

/// Puts a backup in the database's place, or says that somebody did.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of the embedded database.",
        discussion: """
            Stop every server first; over one that runs this is refused. What was there before is kept beside \
            the database as drawbridge.sqlite.before-…; remove it when you are sure.

            A backup does not know what happened since. So login tokens, authorization codes and pushed requests \
            of before are refused from then on, and every session ends: nobody can say which of them had been \
            ended, which device reported stolen. Recovery codes end too, all passkeys are removed, and phones' \
            keys of users who have another way in are unlinked: each sets theirs up again. --keep-sessions keeps \
            sessions, codes, passkeys and keys as the backup has them. Keys that were retired since stay retired. \
            The audit log ends where the backup ends: that is accepted in its own words, as by audit accept. Where \
            events between its beginning and that end are gone or changed, it is not: the command says so and ends \
            with an error.

            On a new machine put the master-key and the audit-signing-key that you kept in their places first: no \
            backup has them. --new-audit-key goes on without the second.

            --in-place does the same for a database that was put back by other means: PostgreSQL's, or a copy of \
            the whole folder.

            Examples:
              drawbridge restore /backup/drawbridge-2026-05-03 \\
                  --config /etc/drawbridge/drawbridge.yaml
              drawbridge restore --in-place --reason "point-in-time recovery to 14:00" \\
                  --config drawbridge.yaml
            """)

    @Argument(help: "The folder that drawbridge backup wrote.")
    var directory: String?

    @Flag(name: .customLong("in-place"), help: "The database is where it belongs already.")
    var isInPlace = false

    @Flag(
        name: .customLong("keep-sessions"),
        help: """
            Keep sessions, devices, recovery codes, passkeys and phones' keys as the backup has them, also those that \
            were ended or removed since.
            """)
    var keepsSessions = false

    @Flag(
        name: .customLong("new-audit-key"),
        help: "Make another audit signing key where the one that signed the log so far is lost.")
    var makesSigningKey = false

    @OptionGroup var why: ReasonOption
    @OptionGroup var options: StorageOptions

    func validate() throws {
        guard (directory != nil) != isInPlace else {
            throw ValidationError("Name the folder of a backup, or say --in-place.")
        }
    }

    func run() async throws {
        let location = try options.location()
        umask(0o077)
        let unexplained: [AuditVerificationReport.Problem]
        do {
            if let directory {
                unexplained = try await restore(BackupFolder(path: directory), at: location)
            } else {
                unexplained = try await restoreInPlace(location)
            }
        } catch let error as SQLiteOpenError {
            if case .nodeInUse(let node) = error {
                throw CommandError("A server or a command runs as the node \(node.debugDescription); stop it first.")
            }
            throw CommandError(clause: error.description)
        }
        StandardOutput.say("Done. Login tokens of before are not accepted any more.")
        if !keepsSessions { StandardOutput.say("Every session ended.") }
        guard unexplained.isEmpty else { throw Self.notAccepted(unexplained) }
    }

    /// - Returns: what of the log the restore does not explain.
    private func restore(
        _ folder: BackupFolder, at location: StorageLocation
    ) async throws -> [AuditVerificationReport.Problem] {
        guard location.database == nil else {
            throw CommandError(
                """
                The settings name a PostgreSQL database. Put it back by PostgreSQL's own means, then run drawbridge restore \
                --in-place. See docs/postgresql.md.
                """)
        }
        let contents = try folder.verified()
        try SQLiteBackup.check(folder.databasePath)
        let lacksKey = try await lacksSigningKey(StorageLocation(location, databasePath: folder.databasePath))
        if options.dataPath == nil { try StorageFolder.create(try options.settings.load().storage.directory) }
        let retired = await retiredKeys(at: location)
        let hold = try SQLiteBackup.hold(location.databasePath, nodes: [location.node, location.commandNode])
        defer { hold.release() }
        let action = AdminAction.atCommandLine()
        let new = "\(location.databasePath).restoring"
        try clear(new)
        try FileManager.default.copyItem(atPath: folder.databasePath, toPath: new)
        guard chmod(new, 0o600) == 0 else { throw CommandError("\(new) cannot be made private.") }
        let said = why.reason ?? "restored the backup of \(contents.madeAt)"
        if lacksKey { _ = try ServerStorage.signingKey(location) }
        // Before it is in its place: no server can start on a database that still knows old tokens as unused.
        let beginning = StorageLocation(location, databasePath: new)
        let unexplained = try await ServerStorage.withStorage(at: beginning) { storage in
            let found = try await unexplainedProblems(in: storage, at: location)
            try await tell(
                storage.recordRestore(by: action.actor, at: action.at, keepsSessions: keepsSessions, reason: said))
            return found
        }
        let kept = "\(location.databasePath).before-\(action.at.rfc3339.filter { $0 != ":" })"
        try SQLiteBackup.replace(location.databasePath, with: new, keeping: kept)
        try clear(new)
        try takeFiles(from: folder, to: location, retired: retired)
        try SQLiteBackup.mark(location.databasePath, node: location.node, prefix: location.commitMarkPrefix)
        // A command's own name, under which the rest is written; no server starts before all is.
        hold.release(node: location.commandNode)
        if unexplained.isEmpty { try await accept(at: location, saying: said) }
        StandardOutput.say("Restored the backup of \(contents.madeAt), with \(contents.events) events.")
        if lacksKey { Self.tellOfNewKey(at: location) }
        if FileManager.default.fileExists(atPath: kept) { StandardOutput.say("What was there before is now \(kept).") }
        if !FileManager.default.fileExists(atPath: location.masterKeyPath) {
            StandardOutput.say(
                "There is no \(location.masterKeyPath): put the master key there before you start the server.")
        }
        return unexplained
    }

    /// - Returns: what of the log the restore does not explain.
    private func restoreInPlace(_ location: StorageLocation) async throws -> [AuditVerificationReport.Problem] {
        guard location.hasDatabase else { throw CommandError("There is no database at \(location.databasePath).") }
        let lacksKey = try await lacksSigningKey(location)
        let hold =
            location.database == nil
            ? try SQLiteBackup.hold(location.databasePath, nodes: [location.node, location.commandNode]) : nil
        defer { hold?.release() }
        // A command's own name, under which the rest is written; no server starts before all is.
        hold?.release(node: location.commandNode)
        let said = why.reason ?? "the database was put back"
        if lacksKey { _ = try ServerStorage.signingKey(location) }
        // All sessions are ended by single statements: a million of them take longer than a service may wait for one.
        let unexplained = try await ServerStorage.withStorage(at: location, isPatient: true) { storage in
            let living = try await storage.livingNodes()
            guard living.isEmpty else {
                throw CommandError("Servers are running: \(living.joined(separator: ", ")). Stop them first.")
            }
            let action = AdminAction.atCommandLine()
            let found = try await unexplainedProblems(in: storage, at: location)
            try await tell(
                storage.recordRestore(by: action.actor, at: action.at, keepsSessions: keepsSessions, reason: said))
            return found
        }
        if location.database == nil {
            try SQLiteBackup.mark(location.databasePath, node: location.node, prefix: location.commitMarkPrefix)
        }
        if unexplained.isEmpty { try await accept(at: location, saying: said) }
        if lacksKey { Self.tellOfNewKey(at: location) }
        return unexplained
    }

    /// Whether a new audit signing key has to be made for a log that another one signed.
    /// - Throws: ``SigningKeyLost`` where nobody asked for one.
    private func lacksSigningKey(_ location: StorageLocation) async throws -> Bool {
        guard try await location.lacksSigningKey(byAnyNode: true) else { return false }
        guard makesSigningKey else {
            throw SigningKeyLost(path: location.signingKeyPath, remedy: "go on with a new one by --new-audit-key")
        }
        return true
    }

    private static func tellOfNewKey(at location: StorageLocation) {
        StandardOutput.say(
            """
            Made the audit signing key \(location.signingKeyPath): add what drawbridge audit public-key prints to \
            audit.pub.
            """)
    }

    /// The keys that the database knows as retired which is about to be replaced. As far as it can be read: it may be
    /// the very reason for the backup.
    private func retiredKeys(at location: StorageLocation) async -> Set<String> {
        guard location.hasDatabase, let storage = try? await location.openForReading() else { return [] }
        let stored = try? await storage.signingKeys()
        try? await storage.close()
        guard let stored else { return [] }
        return Set(stored.keys.filter { $0.withdrawnAt != nil }.map(\.id))
    }

    /// What was signed about the log and is not as it was, before its end: an earlier end alone has its reason. Asked before
    /// the restore is written down, which begins another chain there.
    private func unexplainedProblems(
        in storage: any BridgeStorage, at location: StorageLocation
    ) async throws -> [AuditVerificationReport.Problem] {
        let keys = [try ServerStorage.signingKey(location).verifierKey]
        let found = try await AuditComparison(storage, trusting: keys)
            .contradictions(with: try location.auditNoteFile.read().notes)
        let provable: Set<AuditProblemKind> = [.truncated, .missing, .checkpointMismatch]
        // By a key before the present one, for instance: what cannot be believed proves nothing. Nor does a beginning that is
        // gone, for which that key may have signed.
        let doubtful = Set(found.filter { !provable.contains($0.kind) }.map(\.node))
        return found.filter { problem in
            guard !doubtful.contains(problem.node) else { return false }
            return problem.kind == .checkpointMismatch || (problem.kind == .missing && problem.sequence != 1)
        }
    }

    private static func notAccepted(_ problems: [AuditVerificationReport.Problem]) -> CommandError {
        CommandError(
            """
            The audit log contradicts what was signed about it, and not by its end alone: \
            \(problems.map { "\($0.whereabouts) \($0.kind.rawValue)" }.joined(separator: ", ")). Events are gone or \
            changed, or this takes back what an earlier restore had begun. Find out with drawbridge audit verify; if you \
            know the reason, drawbridge audit accept takes the log as it is.
            """)
    }

    /// The log ends earlier than what was signed about it: that is known, and has its reason.
    private func accept(at location: StorageLocation, saying said: String) async throws {
        let keys = [try ServerStorage.signingKey(location).verifierKey]
        try await ServerStorage.withStorage(at: location, isPatient: true) { storage in
            try await AuditAcceptance(storage: storage, location: location, keys: keys, action: .atCommandLine())
                .run(saying: said)
        }
    }

    /// What a server keeps beside its database, as far as this machine does not know better.
    private func takeFiles(
        from folder: BackupFolder, to location: StorageLocation, retired: Set<String>
    ) throws {
        let noted = RetiredKeyFile(path: location.retiredKeysPath)
        let known = try noted.ids()
        let ids = try RetiredKeyFile(path: folder.file("retired-keys")).ids().union(retired).subtracting(known)
        if !ids.isEmpty { try noted.add(ids) }
        let notes = location.auditNoteFile
        guard !notes.exists else { return }
        for path in ["\(notes.path).1", notes.path] {
            let name = (path as NSString).lastPathComponent
            guard let bytes = FileManager.default.contents(atPath: folder.file(name)) else { continue }
            try PrivateFile.replace(path, with: Array(bytes))
        }
    }

    private func clear(_ path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        for other in try FileManager.default.contentsOfDirectory(atPath: folder) where other.hasPrefix(name) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(other)")
        }
    }

    private func tell(_ done: RestoreReport) {
        for (name, count) in done.ended { StandardOutput.say("Ended \(name.replacing("_", with: " ")): \(count)") }
        guard !done.keysLeft.isEmpty else { return }
        StandardOutput.say(
            "Phones' keys that were left, unlinked since or not, because their users have no other way in:")
        for key in done.keysLeft { StandardOutput.say("  user \(key.subject.rawValue), key \(key.thumbprint)") }
    }
}
