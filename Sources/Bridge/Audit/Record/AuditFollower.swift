/// Reads what every node has written since the last look.
package struct AuditFollower: Sendable {
    private let log: any AuditLog
    /// The last sequence read, by node.
    private var read: [String: Int64]

    /// - Parameter heads: where to begin, as ``AuditLog/chains()`` gave it.
    package init(log: any AuditLog, heads: [AuditChainHead]) {
        self.init(log: log, position: AuditPosition(heads))
    }

    package init(log: any AuditLog, position: AuditPosition) {
        self.log = log
        read = position.sequences
    }

    /// What was read so far.
    package var position: AuditPosition { AuditPosition(sequences: read) }

    /// What is new of all nodes, in order of time.
    /// - Parameter limit: the most for one node; what is beyond comes with the next call.
    package mutating func next(limit: Int = .max) async throws -> [AuditEntry] {
        var found: [AuditEntry] = []
        for head in try await log.chains() {
            let first = read[head.node] ?? 0
            var last = first
            while last < head.sequence, last - first < Int64(clamping: limit) {
                let entries = try await log.entries(of: head.node, in: (last + 1)...head.sequence, limit: 500)
                guard let newest = entries.last else { break }
                found += entries
                last = newest.sequence
            }
            read[head.node] = last
        }
        return found.sorted {
            ($0.at ?? .earliest, $0.node, $0.sequence) < ($1.at ?? .earliest, $1.node, $1.sequence)
        }
    }
}
