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
                `drawbridge audit verify` names everything. If you know the reason, this verifies the whole log \
                and names what it takes over, sets the file aside under another name, begins a new one with what \
                the database has, signs for beginnings that are gone, and records it all with your reason. It \
                mends nothing: an event that was changed stays reported by audit verify. Checkpoints that the \
                database has lost (checkpoint_missing) are taken in the same way.

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
                let acceptance = AuditAcceptance(
                    storage: storage, location: location, keys: keys, action: .atCommandLine(),
                    seeksLostCheckpoints: true)
                try await acceptance.run(saying: reason)
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
    /// Whether checkpoints that the database has lost are a reason as well, which only the whole verification finds. No
    /// restored backup explains them.
    var seeksLostCheckpoints = false

    func run(saying reason: String) async throws {
        let isContradicted = try await hasReason()
        guard isContradicted || seeksLostCheckpoints, case let report = try await verification(),
            isContradicted || report.named.contains(where: { $0.kind == .checkpointMissing }),
            case let (found, unlisted) = try await problems(report), !found.isEmpty
        else {
            StandardOutput.say("The log contradicts nothing; there is nothing to accept.")
            return
        }
        tell(of: found, unlisted: unlisted)
        // First: wherever this ends half way, what shows the contradiction is never gone without a word of why.
        try await record(found, count: found.count + unlisted, saying: reason)
        let file = location.auditNoteFile
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

    /// Everything that is wrong with the log: what is set aside here leaves every later report.
    /// - Parameter report: what a verification just now said.
    /// - Returns: what contradicts the notes before the rest, and how many there are beyond the list.
    private func problems(
        _ report: AuditVerificationReport
    ) async throws -> (found: [AuditVerificationReport.Problem], unlisted: Int) {
        // Again, because a verification takes its time: what was kept meanwhile is set aside as well.
        let contradictions = try await contradictions()
        let further = report.named.filter { problem in
            // Where a chain is written on, its end is another by now.
            !contradictions.contains {
                $0 == problem || ($0.kind == .truncated && $0.group == problem.group)
            }
        }
        return (contradictions + further, report.problemCount - report.named.count)
    }

    /// Whether the file shows what `audit verify` reports for as long as the file is there.
    private func hasReason() async throws -> Bool {
        if try !location.auditNoteFile.read().malformedLines.isEmpty { return true }
        return try await !contradictions().isEmpty
    }

    private func contradictions() async throws -> [AuditVerificationReport.Problem] {
        try await AuditComparison(storage, trusting: keys)
            .contradictions(with: try location.auditNoteFile.read().notes)
    }

    /// The whole log, beside the notes in the file.
    private func verification() async throws -> AuditVerificationReport {
        // Before the database: what is in the file was durable there first.
        var terms = AuditVerificationTerms(trusting: keys)
        try location.auditNoteFile.add(to: &terms)
        let progress = Progress(of: "events", total: try await storage.eventTotal())
        defer { progress.end() }
        return try await AuditReview(storage).verify(terms) { progress.reach($0) }
    }

    /// Names every problem, of a thousand that are alike the first ones.
    private func tell(of found: [AuditVerificationReport.Problem], unlisted: Int) {
        var counts: [AuditVerificationReport.Problem.Group: Int] = [:]
        for problem in found {
            counts[problem.group, default: 0] += 1
            guard counts[problem.group, default: 0] <= AuditVerificationReport.Problem.namedLimit else { continue }
            StandardOutput.say(Self.sentence(problem))
        }
        let alike = counts.values.map { max(0, $0 - AuditVerificationReport.Problem.namedLimit) }.reduce(0, +)
        guard alike + unlisted > 0 else { return }
        StandardOutput.say("And \(alike + unlisted) more of these kinds.")
    }

    private static func sentence(_ problem: AuditVerificationReport.Problem) -> String {
        let place = problem.file.map { "\($0), \(problem.whereabouts)" } ?? problem.whereabouts.printable
        return switch problem.kind {
        case .truncated: "The audit log ends before \(place): what was written from there on is gone."
        case .checkpointMissing: "Checkpoints from \(place) on are gone from the database; the events are as they say."
        default: "\(place): \(problem.kind.rawValue)"
        }
    }

    private func record(
        _ found: [AuditVerificationReport.Problem], count: Int, saying reason: String
    ) async throws {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.actor, action.actor.description)
        detail.add(found, count: count)
        detail.add("said", reason)
        try await storage.append([
            AuditEvent(
                at: action.at, type: .auditAccepted, outcome: .success, reason: found[0].kind.rawValue,
                detail: detail.finishedText())
        ])
    }
}

extension AuditVerificationReport {
    /// The problems that it names one by one.
    fileprivate var named: [Problem] { problems + furtherKinds }
}
