import Bridge
import Foundation

/// The keys that no backup has: whether those in their places belong to the database that is restored.
struct RestoreKeys {
    let location: StorageLocation
    /// Earlier audit signing keys, which somebody named.
    let earlier: [AuditVerifierKey]
    /// Whether somebody said that the audit signing key which signed the log so far is lost.
    let mayBeLost: Bool

    /// Whose signatures about the audit log count.
    func trusted() throws -> [AuditVerifierKey] { try earlier + [ServerStorage.signingKey(location).verifierKey] }

    /// Whether a new audit signing key has to be made for a log that another one signed.
    /// - Parameter database: what is restored.
    /// - Throws: where nobody said that the one which signed it is lost, ``SigningKeyLost``, or ``SigningKeyForeign``
    ///   for another one in its place: that would vouch for what is written from then on, and nobody expects it.
    func lacksSigningKey(of database: StorageLocation) async throws -> Bool {
        if try await database.lacksSigningKey(byAnyNode: true) {
            guard mayBeLost else {
                throw SigningKeyLost(path: location.signingKeyPath, remedy: "go on with a new one by --new-audit-key")
            }
            return true
        }
        guard !mayBeLost, let newest = try await database.newestCheckpoint() else { return false }
        let keys = try earlier + [AuditSigningKeyFile.load(location.signingKeyPath).verifierKey]
        guard newest.problem(trusting: keys) != .checkpointUnknownKey else {
            throw SigningKeyForeign(path: location.signingKeyPath, newest: newest)
        }
        return false
    }

    func tellOfNewKey() {
        StandardOutput.say(
            """
            Made the audit signing key \(location.signingKeyPath): add what drawbridge audit public-key prints to \
            audit.pub.
            """)
    }

    /// Warns of what would keep a server from starting, or users from signing in, while it is known what was done.
    /// - Parameter keys: of the database that was restored; those that were retired since do not count.
    func checkMasterKey(opening keys: [SealedSigningKey], at now: Timestamp) async {
        do {
            let used = try location.inUse(keys, at: now)
            await checkSecondFactors(with: try MasterKeyFile.load(location.masterKeyPath, opening: used))
        } catch let error as MasterKeyFileError where error.problem == .missing {
            StandardOutput.say(
                "There is no \(location.masterKeyPath): put the master key there before you start the server.")
        } catch {
            StandardError.write("warning: \(CommandFailure.sentence("\(error)")) No server starts until then.\n")
        }
    }

    /// A backup of before the master key was replaced has second factors of the one before; servers start with them.
    private func checkSecondFactors(with master: MasterKey) async {
        do {
            guard let text = try await UnopenedSecondFactors.look(at: location, with: master).text else { return }
            StandardError.write("warning: The master key \(location.masterKeyPath) \(text)\n")
        } catch {
            StandardError.write("warning: Whether the master key opens the second factors is not known: \(error)\n")
        }
    }
}

/// The audit signing key in its place is not the one that signed the log.
struct SigningKeyForeign: Error, CustomStringConvertible {
    let path: String
    let newest: AuditCheckpoint

    /// Whole sentences.
    var description: String {
        """
        The audit log is signed by another key than \(path), last at \(newest.at.rfc3339) for \
        \(AuditRecord.id(node: newest.node, sequence: newest.size)). Put the audit-signing-key of that log there. If it \
        was replaced since, name a file with its public key by --public-key. If it is lost, go on with the one that is \
        there by --new-audit-key: what the other one signed is vouched for by its public key alone from then on.
        """
    }
}
