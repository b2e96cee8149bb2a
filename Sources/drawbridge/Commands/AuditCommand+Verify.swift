import ArgumentParser
import Bridge
import Foundation

extension AuditCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that nothing was changed, removed or put in.",
            discussion: """
                Prints a report as JSON. Exit status 0 when the log is whole, 1 when it is not. Without --public-key
                the key beside the database counts, which whoever rules that machine could have replaced.

                Examples:
                  drawbridge audit verify --config drawbridge.yaml --public-key audit.pub
                  drawbridge audit verify --export audit.jsonl --public-key audit.pub
                """)

        @OptionGroup var options: StorageOptions

        @Option(name: .customLong("export"), help: "An export in jsonl, instead of a database.")
        var exportPath: String?

        @Option(
            name: .customLong("public-key"), help: "A file with the keys to trust, as audit public-key prints them.")
        var publicKeyPath: String?

        func validate() throws {
            guard exportPath == nil || publicKeyPath != nil else {
                throw ValidationError("--export needs --public-key.")
            }
        }

        func run() async throws {
            let report: AuditVerificationReport
            if let exportPath {
                report = try AuditReview.verify(exportAt: exportPath, trusting: try await trustedKeys())
            } else {
                let storage = try await options.openForReading()
                report = try await AuditReview(storage).verify(trusting: try await trustedKeys())
            }
            print(report.json)
            if !report.isValid { throw ExitCode.failure }
        }

        private func trustedKeys() async throws -> [AuditVerifierKey] {
            guard let publicKeyPath else { return [try await options.auditSigningKey().verifierKey] }
            guard let keys = AuditVerifierKey.keys(in: try String(contentsOfFile: publicKeyPath, encoding: .utf8))
            else { throw CommandFailure("\(publicKeyPath) holds a line that is no key, or none.") }
            return keys
        }
    }
}
