import ArgumentParser
import Bridge
import Foundation

extension AuditCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that nothing was changed, removed or put in.",
            discussion: """
                Prints a report as JSON. Exit status 0 when the log is whole, 1 when it is not. Without \
                --public-key the key beside the database counts, which whoever rules that machine could have \
                replaced. A database is also compared with the file audit-checkpoints beside that key.

                --checkpoint takes what somebody kept elsewhere: copies of that file, exports, lines of the \
                service log or of what was forwarded, plain signed notes. The log must extend every checkpoint \
                in them, or it is not the one that was written. What retention removed is listed as cuts; \
                --retention says how long events had to stay at least.

                checkpoint_missing means that the events agree with checkpoints kept outside of the database, but \
                that it has lost these checkpoints itself, more of them than restored backups explain: somebody \
                removed them. Keep copies of both, find out who can write to the database, and go on with \
                drawbridge audit accept. One checkpoint that is gone between two others is not reported.

                Examples:
                  drawbridge audit verify --config drawbridge.yaml --public-key audit.pub
                  drawbridge audit verify --config drawbridge.yaml --retention 400d \\
                      --checkpoint kept/*
                  drawbridge audit verify --export audit.jsonl --public-key audit.pub
                """)

        @OptionGroup var options: StorageOptions

        @Option(name: .customLong("export"), help: "An export in jsonl, instead of a database.")
        var exportPath: String?

        @OptionGroup var trusted: TrustedKeysOption

        @Option(
            name: .customLong("checkpoint"), parsing: .upToNextOption,
            help: "Files with signed notes that were kept elsewhere; the log must extend each.")
        var checkpointPaths: [String] = []

        @Option(name: .customLong("retention"), help: "The least retention that may have been in force, such as 400d.")
        var retentionText: String?

        func validate() throws {
            guard retentionText.map({ DurationText.parse($0) != nil }) ?? true else {
                throw ValidationError("--retention must be a duration such as 400d.")
            }
            guard exportPath == nil || trusted.path != nil else {
                throw ValidationError("--export needs --public-key.")
            }
        }

        func run() async throws {
            var terms = AuditVerificationTerms(
                trusting: try await options.trustedKeys(trusted),
                leastRetention: retentionText.flatMap(DurationText.parse))
            for path in checkpointPaths { try Self.addNotes(inFileAt: path, to: &terms) }
            let report: AuditVerificationReport
            if let exportPath {
                if let obstacle = WholeFile.obstacleToReadingAgain(exportPath) {
                    throw CommandError("Cannot verify \(exportPath): \(obstacle).")
                }
                do {
                    report = try AuditReview.verify(exportAt: exportPath, terms)
                } catch {
                    throw SystemFailure(error, doing: "read \(exportPath)")
                }
                // What a redirection to a full disk, or an export that failed, leaves behind must not pass.
                guard report.events > 0 || !report.isValid else {
                    throw CommandError("\(exportPath) holds no events: there is nothing to verify.")
                }
            } else {
                // Before the database: what is in the file was durable there first.
                try options.addKeptNotes(to: &terms)
                report = try await options.reading { [terms] storage in
                    let progress = Progress(of: "events", total: try await storage.eventTotal())
                    defer { progress.end() }
                    return try await AuditReview(storage).verify(terms) { progress.reach($0) }
                }
            }
            try StandardOutput.answer(report.json)
            if !report.isValid { throw ExitCode.failure }
        }

        private static func addNotes(inFileAt path: String, to terms: inout AuditVerificationTerms) throws {
            let kept = AuditKeptNotes(try InputFile(path).read())
            guard !kept.notes.isEmpty || !kept.malformedLines.isEmpty else {
                throw CommandError("\(path) holds no signed note.")
            }
            terms.kept += kept.notes
            terms.unreadable += kept.malformedLines.map {
                AuditVerificationTerms.UnreadableLine(file: path, line: $0)
            }
        }
    }
}

/// Whose signatures about the audit log count.
struct TrustedKeysOption: ParsableArguments {
    @Option(name: .customLong("public-key"), help: "A file with the keys to trust, as audit public-key prints them.")
    var path: String?
}

extension StorageOptions {
    /// The keys in the file that is named; without one, the key beside the database.
    func trustedKeys(_ option: TrustedKeysOption) async throws -> [AuditVerifierKey] {
        guard let path = option.path else { return [try await auditSigningKey().verifierKey] }
        guard let keys = AuditVerifierKey.keys(in: try InputFile(path).text()) else {
            throw CommandError("\(path) holds no key, or a line that is not one.")
        }
        return keys
    }
}
