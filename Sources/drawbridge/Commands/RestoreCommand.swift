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
            backup has them. If the audit signing key was replaced since the backup, --public-key names a file with \
            the public keys of before. --new-audit-key goes on without the key that signed the log so far.

            --in-place does the same for a database that was restored by other means: PostgreSQL's, or a copy of \
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
        help: """
            Go on with another audit signing key where the one that signed the log so far is lost: with the one that \
            is there, or a new one.
            """)
    var makesSigningKey = false

    @OptionGroup var trusted: TrustedKeysOption
    @OptionGroup var why: ReasonOption
    @OptionGroup var options: StorageOptions

    func validate() throws {
        guard (directory != nil) != isInPlace else {
            throw ValidationError("Name the folder of a backup, or say --in-place.")
        }
    }

    func run() async throws {
        let location = try options.location()
        try StorageFolder.refuseRoot(in: location.directory, masterKey: location.masterKeyPath)
        umask(0o077)
        let earlier = try await trusted.path == nil ? [] : options.trustedKeys(trusted)
        let keys = RestoreKeys(location: location, earlier: earlier, mayBeLost: makesSigningKey)
        let unexplained: [AuditVerificationReport.Problem]
        do {
            if let directory {
                unexplained = try await restore(BackupFolder(path: directory), keys)
            } else {
                unexplained = try await restoreInPlace(keys)
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
        _ folder: BackupFolder, _ keys: RestoreKeys
    ) async throws -> [AuditVerificationReport.Problem] {
        let location = keys.location
        guard location.database == nil else {
            throw CommandError(
                """
                The settings name a PostgreSQL database. Put it back by PostgreSQL's own means, then run drawbridge restore \
                --in-place. See docs/postgresql.md.
                """)
        }
        let contents = try folder.verified()
        try SQLiteBackup.check(folder.databasePath)
        let files = try RestoredFiles(of: folder, at: location, retired: await retiredKeys(at: location))
        let lacksKey = try await keys.lacksSigningKey(
            of: StorageLocation(location, databasePath: folder.databasePath))
        try options.createFolder()
        let hold = try SQLiteBackup.hold(location.databasePath, nodes: [location.node, location.commandNode])
        defer { hold.release() }
        let action = AdminAction.atCommandLine()
        let new = "\(location.databasePath).restoring"
        try Self.clear(new)
        // However this ends: a part of it may be what fills the disk.
        defer { try? Self.clear(new) }
        let cleanup = SignalCleanup { try? Self.clear(new) }
        defer { cleanup.end() }
        try copy(folder.databasePath, to: new)
        let said = why.reason ?? "restored the backup of \(contents.madeAt)"
        if lacksKey { _ = try ServerStorage.signingKey(location) }
        // Before it is in its place: no server can start on a database that still knows old tokens as unused.
        let beginning = StorageLocation(location, databasePath: new)
        let signed = HeldAuditNotes()
        let (unexplained, signing) = try await ServerStorage.withStorage(at: beginning, outlet: signed) { storage in
            try await record(in: storage, by: action, saying: said, keys, beside: files.notes)
        }
        defer { files.removeStagedNotes() }
        try files.stageNotes()
        try files.noteRetiredKeys()
        cleanup.end()
        let kept = "\(location.databasePath).before-\(action.at.rfc3339.filter { $0 != ":" })"
        try SQLiteBackup.replace(location.databasePath, with: new, keeping: kept)
        try SQLiteBackup.mark(location.databasePath, node: location.node, prefix: location.commitMarkPrefix)
        try files.placeNotes()
        await ServerStorage.keep(signed.notes, at: location)
        // A command's own name, under which the rest is written; no server starts before all is.
        hold.release(node: location.commandNode)
        if unexplained.isEmpty { try await accept(keys, saying: said) }
        StandardOutput.say("Restored the backup of \(contents.madeAt), with \(contents.events) events.")
        if lacksKey { keys.tellOfNewKey() }
        if FileManager.default.fileExists(atPath: kept) { StandardOutput.say("What was there before is now \(kept).") }
        await keys.checkMasterKey(opening: signing, at: TimeSource.system.now())
        return unexplained
    }

    private func copy(_ path: String, to new: String) throws {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: new)
        } catch {
            throw SystemFailure(error, doing: "write \(new)")
        }
        guard chmod(new, 0o600) == 0 else { throw CommandError("\(new) cannot be made private.") }
    }

    /// - Returns: what of the log the restore does not explain.
    private func restoreInPlace(_ keys: RestoreKeys) async throws -> [AuditVerificationReport.Problem] {
        let location = keys.location
        try options.requireDatabase(at: location)
        let lacksKey = try await keys.lacksSigningKey(of: location)
        let hold =
            location.database == nil
            ? try SQLiteBackup.hold(location.databasePath, nodes: [location.node, location.commandNode]) : nil
        defer { hold?.release() }
        // A command's own name, under which the rest is written; no server starts before all is.
        hold?.release(node: location.commandNode)
        let said = why.reason ?? "the database was restored"
        if lacksKey { _ = try ServerStorage.signingKey(location) }
        // All sessions are ended by single statements: a million of them take longer than a service may wait for one.
        let (unexplained, signing) = try await ServerStorage.withStorage(at: location, isPatient: true) { storage in
            let living = try await storage.livingNodes()
            guard living.isEmpty else {
                throw CommandError("Servers are running: \(living.joined(separator: ", ")). Stop them first.")
            }
            return try await record(in: storage, by: .atCommandLine(), saying: said, keys, beside: [])
        }
        if location.database == nil {
            try SQLiteBackup.mark(location.databasePath, node: location.node, prefix: location.commitMarkPrefix)
        }
        if unexplained.isEmpty { try await accept(keys, saying: said) }
        if lacksKey { keys.tellOfNewKey() }
        await keys.checkMasterKey(opening: signing, at: TimeSource.system.now())
        return unexplained
    }

    /// Writes down that the database was restored.
    /// - Parameter notes: what was signed about the log besides what this machine has kept.
    /// - Returns: what of the log that does not explain, and the keys that sign tokens.
    private func record(
        in storage: any BridgeStorage, by action: AdminAction, saying said: String, _ keys: RestoreKeys,
        beside notes: [AuditNote]
    ) async throws -> (unexplained: [AuditVerificationReport.Problem], signing: [SealedSigningKey]) {
        let found = try await unexplainedProblems(in: storage, keys, beside: notes)
        try await tell(
            storage.recordRestore(by: action.actor, at: action.at, keepsSessions: keepsSessions, reason: said))
        return (found, try await storage.signingKeys().keys)
    }

    /// The keys that the database knows as retired which is about to be replaced. As far as it can be read: it may be
    /// the very reason for the backup.
    private func retiredKeys(at location: StorageLocation) async -> Set<String> {
        guard location.hasDatabase,
            let stored = try? await location.reading({ try await $0.signingKeys() })
        else { return [] }
        return Set(stored.keys.filter { $0.withdrawnAt != nil }.map(\.id))
    }

    /// What was signed about the log and is not as it was, before its end: an earlier end alone has its reason. Asked before
    /// the restore is written down, which begins another chain there.
    private func unexplainedProblems(
        in storage: any BridgeStorage, _ keys: RestoreKeys, beside notes: [AuditNote]
    ) async throws -> [AuditVerificationReport.Problem] {
        // By a key before the present one, for instance: what cannot be believed proves nothing. Nor does a beginning that is
        // gone, for which that key may have signed.
        return try await AuditComparison(storage, trusting: try keys.trusted())
            .findings(with: try keys.location.auditNoteFile.read().notes + notes).proved
            .filter { $0.kind == .checkpointMismatch || ($0.kind == .missing && $0.sequence != 1) }
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
    private func accept(_ keys: RestoreKeys, saying said: String) async throws {
        let trusted = try keys.trusted()
        try await ServerStorage.withStorage(at: keys.location, isPatient: true) { storage in
            try await AuditAcceptance(
                storage: storage, location: keys.location, keys: trusted, action: .atCommandLine()
            ).run(saying: said)
        }
    }

    private static func clear(_ path: String) throws {
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
