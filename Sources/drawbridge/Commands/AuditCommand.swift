import ArgumentParser
import Bridge

/// Reading the record of what happened.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read, search, export and verify the audit log.",
        discussion: """
            Examples:
              drawbridge audit tail --config drawbridge.yaml --follow
              drawbridge audit search --config drawbridge.yaml --sub SUBJECT \\
                  --from 2026-11-21T00:00:00Z
              drawbridge audit export --config drawbridge.yaml --format jsonl \\
                  > audit.jsonl
              drawbridge audit verify --export audit.jsonl --public-key audit.pub
            """,
        subcommands: [Tail.self, Search.self, Export.self, Verify.self, Accept.self, PublicKey.self])

    /// Refuses what no page holds, where the log would answer with another number without a word.
    static func checkPageSize(_ size: Int, of option: String) throws {
        let sizes = AuditPage.sizes
        guard sizes.contains(size) else {
            throw ValidationError("\(option) must be \(sizes.lowerBound) to \(sizes.upperBound).")
        }
    }

    /// How records are printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, jsonl, csv

        func line(_ entry: AuditEntry) -> String {
            switch self {
            case .text: AuditLine.text(of: entry) + "\n"
            case .jsonl: String(decoding: entry.json, as: UTF8.self) + "\n"
            case .csv: AuditCSV.row(entry)
            }
        }

        var header: String { self == .csv ? AuditCSV.header : "" }
    }

    struct PublicKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "public-key",
            abstract:
                "Print the key that checkpoints and cuts are verified with. Keep it where the server cannot change it.",
            discussion: """
                Example:
                  drawbridge audit public-key --config drawbridge.yaml >> audit.pub
                """)

        @OptionGroup var options: StorageOptions

        func run() async throws {
            try StandardOutput.answer(try await options.auditSigningKey().verifierKey)
        }
    }
}
