import ArgumentParser
import Bridge

extension AuditCommand {
    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the newest events, oldest first.",
            discussion: "Example: drawbridge audit tail --data /tmp/demo --follow")

        @OptionGroup var options: StorageOptions

        @Option(name: .shortAndLong, help: "How many, at most 500.")
        var number = 20

        @Flag(name: .shortAndLong, help: "Go on with what is written from now on, until interrupted.")
        var follow = false

        @Option(help: "text, jsonl or csv.")
        var format = Format.text

        func validate() throws {
            guard (1...500).contains(number) else { throw ValidationError("--number must be 1 to 500.") }
        }

        func run() async throws {
            let log = try await options.openForReading()
            // Before the page: an event between the two is then in the page or behind the heads, never lost.
            var follower = AuditFollower(log: log, heads: try await log.chains())
            let page = try await log.search(AuditFilter(), before: nil, limit: number)
            try StandardOutput.write(format.header)
            for record in page.records.reversed() { try StandardOutput.write(format.line(record)) }
            guard follow else { return }
            let seen = Set(page.records.map(\.id))
            for await _ in AsyncTimer(every: .milliseconds(500)) {
                for record in try await follower.next() where !seen.contains(record.id) {
                    try StandardOutput.write(format.line(record))
                }
            }
        }
    }
}

/// Reads what every node has written since the last look.
struct AuditFollower {
    private let log: any AuditLog
    private var read: [String: Int64]

    init(log: any AuditLog, heads: [AuditChainHead]) {
        self.log = log
        read = Dictionary(heads.map { ($0.node, $0.sequence) }) { max($0, $1) }
    }

    /// New records of all nodes, in order of time.
    mutating func next() async throws -> [AuditRecord] {
        var found: [AuditRecord] = []
        for head in try await log.chains() {
            var last = read[head.node] ?? 0
            while last < head.sequence {
                let records = try await log.records(of: head.node, in: (last + 1)...head.sequence, limit: 500)
                guard let newest = records.last else { break }
                found += records
                last = newest.sequence
            }
            read[head.node] = last
        }
        return found.sorted { ($0.event.at, $0.node, $0.sequence) < ($1.event.at, $1.node, $1.sequence) }
    }
}
