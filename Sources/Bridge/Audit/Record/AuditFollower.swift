/// Reads what every node has written since the last look.
///
/// After the database was restored, or a standby took over that had not received everything, it reads on from where
/// what it has read and what there is now part: some events come twice then, and none is missed.
package struct AuditFollower: Sendable {
    private let log: any AuditLog
    /// What was read so far.
    package private(set) var position: AuditPosition

    /// The most events that one reading asks for.
    private static let batchSize = 500

    /// - Parameter position: where to begin.
    package init(log: any AuditLog, position: AuditPosition) {
        self.log = log
        self.position = position
    }

    /// What is new of all nodes, in order of time, and of each node in the order of its chain.
    /// - Parameter limit: the most for one node; what is beyond comes with the next call.
    package mutating func next(limit: Int = .max) async throws -> [AuditEntry] {
        var found: [(moment: Timestamp, entry: AuditEntry)] = []
        for head in try await log.chains() {
            // Whatever a clock that was set back says: who leaves off in between goes on after the last that came.
            var moment = Timestamp.earliest
            for entry in try await unread(of: head, limit: limit) {
                moment = max(moment, entry.at ?? moment)
                found.append((moment, entry))
            }
        }
        return found.sorted { ($0.moment, $0.entry.node) < ($1.moment, $1.entry.node) }.map(\.entry)
    }

    private mutating func unread(of head: AuditChainHead, limit: Int) async throws -> [AuditEntry] {
        var found: [AuditEntry] = []
        while found.count < limit {
            var place = position[head.node]
            if place.sequence > head.sequence
                || (place.sequence == head.sequence && place.isContradicted(by: head.hash))
            {
                position[head.node] = try await place.lastInCommon(with: head, in: log)
                continue
            }
            guard place.sequence < head.sequence else { break }
            // With the event that was read last, in one reading: what follows it is of the same chain.
            let entries = try await log.entries(
                of: head.node, in: max(AuditRecord.sequences.lowerBound, place.sequence)...head.sequence,
                limit: min(Self.batchSize, limit - found.count) + 1)
            if let first = entries.first, first.sequence == place.sequence, place.isContradicted(by: first.hash) {
                position[head.node] = try await place.lastInCommon(with: head, in: log)
                continue
            }
            let new = entries.drop { $0.sequence <= place.sequence }
            guard !new.isEmpty else { break }
            for entry in new { place.advance(to: entry) }
            position[head.node] = place
            found += new
        }
        return found
    }
}
