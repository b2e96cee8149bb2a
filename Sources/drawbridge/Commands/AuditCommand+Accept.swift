import ArgumentParser
import Bridge
import OAuth2

extension AuditCommand {
    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take the log as it is now for the one that counts, after a restored backup for instance.",
            discussion: """
                The server says audit_log is degraded when its database contradicts the notes in the file \
                audit-checkpoints: events are gone, or others stand in their place. Find out why first; \
                `drawbridge audit verify` names everything. If you know the reason, this sets the file aside \
                under another name, begins a new one with what the database has, signs for beginnings that are \
                gone, and records it all with your reason. It mends nothing: an event that was changed stays \
                reported by audit verify.

                --public-key names a file with earlier audit signing keys, where the key was replaced: else notes \
                that they signed are told as checkpoint_unknown_key.

                Example:
                  drawbridge audit accept --config drawbridge.yaml \\
                      --reason "restored the backup of 3 May"
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var trusted: TrustedKeysOption

        @Option(help: ArgumentHelp(ReasonOption.about))
        var reason: String

        func validate() throws { try ReasonOption.check(reason) }

        func run() async throws {
            let location = try options.location()
            // What is signed here and now has to count as well.
            let own = try await options.auditSigningKey().verifierKey
            let keys = try await options.trustedKeys(trusted) + [own]
            try await options.withStorage { storage in
                try await AuditAcceptance(storage: storage, location: location, keys: keys, action: .atCommandLine())
                    .run(saying: reason)
            }
        }
    }
}

/// Takes the log as it is, and tells the operator what that means.
struct AuditAcceptance {
    let storage: any BridgeStorage
    let location: StorageLocation
    let keys: [AuditVerifierKey]
    let action: AdminAction

    func run(saying reason: String) async throws {
        let file = location.auditNoteFile
        let found = try await AuditComparison(storage, trusting: keys).contradictions(with: try file.read().notes)
        guard !found.isEmpty else {
            StandardOutput.say("The log contradicts nothing; there is nothing to accept.")
            return
        }
        for problem in found { StandardOutput.say(Self.sentence(problem)) }
        // First: wherever this ends half way, what shows the contradiction is never gone without a word of why.
        try await record(found, saying: reason)
        let names = try file.setAside(at: action.at)
        let notes = try await storage.newestNotes(trusting: keys)
        if !notes.isEmpty { try file.append(notes) }
        let adopted = try await storage.adoptCuts(olderThan: nil, at: action.at)
        for cut in adopted {
            StandardOutput.say("Signed for the events of \(cut.node) up to \(cut.through), which are gone.")
        }
        for name in names { StandardOutput.say("What was kept before is now \(name).") }
        StandardOutput.say("Accepted. Running servers notice within ten minutes, or at once when they are restarted.")
    }

    private static func sentence(_ problem: AuditVerificationReport.Problem) -> String {
        guard problem.kind == .truncated else { return "\(problem.whereabouts): \(problem.kind.rawValue)" }
        return "The audit log ends before \(problem.whereabouts): what was written from there on is gone."
    }

    private func record(_ found: [AuditVerificationReport.Problem], saying reason: String) async throws {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.actor, action.actor.description)
        detail.add("count", Int64(found.count))
        detail.add("id", found[0].id)
        detail.add("said", reason)
        try await storage.append([
            AuditEvent(
                at: action.at, type: .auditAccepted, outcome: .success, reason: found[0].kind.rawValue,
                detail: detail.finishedText())
        ])
    }
}
