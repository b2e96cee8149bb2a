import OAuth2

/// How far a reader has got in the chains of all nodes; goes to clients and comes back as an opaque text.
package struct AuditPosition: Hashable, Sendable {
    package private(set) var sequences: [String: Int64]

    package init(sequences: [String: Int64]) { self.sequences = sequences }

    package init(_ heads: [AuditChainHead]) {
        sequences = Dictionary(heads.map { ($0.node, $0.sequence) }) { max($0, $1) }
    }

    /// Takes in what was read.
    package mutating func advance(to entry: AuditEntry) {
        sequences[entry.node] = max(sequences[entry.node] ?? 0, entry.sequence)
    }

    /// `node~sequence` for each node, with commas; nodes are percent-encoded.
    package var text: String {
        sequences.sorted { $0.key < $1.key }
            .map { "\(PercentEncoding.encode($0.key).replacing("~", with: "%7E"))~\($0.value)" }.joined(separator: ",")
    }

    /// Reads ``text``.
    package init?(_ text: String) {
        var sequences: [String: Int64] = [:]
        guard !text.isEmpty, text.utf8.count <= 4096 else { return nil }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "~", omittingEmptySubsequences: false)
            guard pair.count == 2, let node = PercentEncoding.decode(String(pair[0])), !node.isEmpty,
                !node.utf8.contains(0),
                let sequence = Int64(pair[1]), sequence >= 0, sequence <= AuditRecord.sequences.upperBound,
                sequences[node] == nil
            else { return nil }
            sequences[node] = sequence
        }
        self.sequences = sequences
    }
}

// An event's own id in a position's place.
extension AuditPosition {
    /// How much earlier an event may claim to be than one that was read before it: nodes' clocks differ, and what is
    /// written takes a moment to be there.
    private static let overlap = Duration.seconds(60)

    /// Where to go on for a reader that has an event and knows no more than its id: on its node after it, on every
    /// other a minute before it. So nothing is missed, and what the others wrote in that minute may come twice.
    /// - Parameter id: ``AuditRecord/id``.
    /// - Returns: `nil` where no node has got that far.
    package static func after(_ id: String, in log: any AuditLog) async throws -> AuditPosition? {
        let heads = try await log.chains()
        guard let place = AuditRecord.place(of: id),
            heads.contains(where: { $0.node == place.node && place.sequence <= $0.sequence })
        else { return nil }
        var sequences = [place.node: place.sequence]
        // Where retention has removed it, all that is left of the others.
        if let moment = try await log.entry(id: id)?.at {
            for head in heads where head.node != place.node {
                sequences[head.node] = try await last(of: head, before: moment - overlap, in: log)
            }
        }
        return AuditPosition(sequences: sequences)
    }

    /// A sequence of a node up to which its events are older than an instant; found by halving, since chains are long.
    private static func last(
        of head: AuditChainHead, before moment: Timestamp, in log: any AuditLog
    ) async throws -> Int64 {
        var known: Int64 = 0
        var end = head.sequence
        while known < end {
            let middle = known + (end - known + 1) / 2
            // What cannot be read counts as newer: then it comes again rather than never.
            let entry = try await log.entries(of: head.node, in: middle...end, limit: 1).first
            if let entry, let at = entry.at, at < moment {
                known = entry.sequence
            } else {
                end = middle - 1
            }
        }
        return known
    }
}

extension AuditCursor {
    /// What clients get and give back; opaque to them.
    package var text: String {
        Base64URL.encode(Array("\(at.milliseconds) \(sequence) \(node)".utf8))
    }

    /// Reads ``text``.
    package init?(text: String) {
        guard text.utf8.count <= 2048, let bytes = Base64URL.decode(text),
            let plain = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = plain.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let at = Int64(parts[0]), let sequence = Int64(parts[1]), !parts[2].utf8.contains(0)
        else { return nil }
        self.init(at: Timestamp(milliseconds: at), node: String(parts[2]), sequence: sequence)
    }
}
