import OAuth2

/// An audit event in its place: numbered within its node and chained to the one before it.
package struct AuditRecord: Hashable, Sendable {
    /// `<node>-<sequence>`: unique over all nodes, and it says where to look.
    package var id: String { "\(node)-\(sequence)" }
    /// The name of the node that wrote it; each node has a chain of its own.
    package let node: String
    /// 1 for a node's first event, then without gaps.
    package let sequence: Int64
    package let event: AuditEvent
    /// The previous event's ``hash``; of the first, ``genesis``.
    package let previousHash: String
    /// Base64url of SHA-256 over ``previousHash`` and every field: 43 characters.
    package let hash: String

    /// What a sequence can be: far more events than any node writes, and no sum with it overflows.
    package static let sequences: ClosedRange<Int64> = 1...(1 << 52)

    /// The most bytes of one of an event's texts. Requests are bounded below it, so no more was ever written.
    package static let maximumTextLength = 131_072

    /// What the first event of a chain names as its predecessor: 32 zero bytes.
    package static let genesis = Base64URL.encode([UInt8](repeating: 0, count: 32))

    /// A record as a store or an export holds it; its hash is claimed, not checked.
    package init(node: String, sequence: Int64, event: AuditEvent, previousHash: String, hash: String) {
        self.node = node
        self.sequence = sequence
        self.event = event
        self.previousHash = previousHash
        self.hash = hash
    }

    /// Chains an event behind `previousHash`.
    package init(chaining event: AuditEvent, node: String, sequence: Int64, previousHash: String) {
        self.init(
            node: node, sequence: sequence, event: event, previousHash: previousHash,
            hash: AuditRecordText(event, node: node, sequence: sequence, previousHash: previousHash).hash)
    }
}
