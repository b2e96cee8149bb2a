import OAuth2

/// How far somebody has read in the chains of all nodes; goes to clients and comes back as an opaque text.
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
