import ArgumentParser
import Bridge

extension AuditCommand {
    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the newest events, oldest first.",
            discussion: """
                Example:
                  drawbridge audit tail --data /tmp/demo --follow
                """)

        @OptionGroup var options: StorageOptions

        @Option(name: .shortAndLong, help: "How many, at most \(AuditReview.pageSizes.upperBound).")
        var number = 20

        @Flag(name: .shortAndLong, help: "Go on with what is written from now on, until interrupted.")
        var follow = false

        @Option(help: "text, jsonl or csv.")
        var format = Format.text

        func validate() throws { try AuditCommand.checkPageSize(number, of: "--number") }

        func run() async throws {
            try await options.reading { try await printEvents(of: $0) }
        }

        private func printEvents(of log: any BridgeStorage) async throws {
            // Before the page, so that an event between the two is in the page or after the heads, never lost.
            var follower = AuditFollower(log: log, heads: try await log.chains())
            let page = try await log.search(AuditFilter(), before: nil, limit: number)
            try StandardOutput.write(format.header)
            for entry in page.entries.reversed() { try StandardOutput.write(format.line(entry)) }
            guard follow else { return }
            let seen = Set(page.entries.map(\.id))
            for await _ in AsyncTimer(every: .milliseconds(500)) {
                for entry in try await follower.next() where !seen.contains(entry.id) {
                    try StandardOutput.write(format.line(entry))
                }
            }
        }
    }
}
