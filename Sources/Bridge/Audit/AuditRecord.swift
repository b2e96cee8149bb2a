import Crypto
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
            hash: Self.hash(of: event, node: node, sequence: sequence, previousHash: previousHash))
    }

    /// Whether the hash is the one that the fields give.
    package var isIntact: Bool {
        hash == Self.hash(of: event, node: node, sequence: sequence, previousHash: previousHash)
    }

    // Every field is written with its length, so that no two different events share one encoding:
    // version line, then fields in the fixed order below, each as `<byte count>:<bytes>\n`, an absent one as `-\n`.
    private static func hash(of event: AuditEvent, node: String, sequence: Int64, previousHash: String) -> String {
        var bytes: [UInt8] = Array("drawbridge-audit-v1\n".utf8)
        bytes.reserveCapacity(512)
        func append(_ field: String?) {
            guard let field else {
                bytes.append(contentsOf: [UInt8(ascii: "-"), UInt8(ascii: "\n")])
                return
            }
            bytes.append(contentsOf: String(field.utf8.count).utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: field.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        append(previousHash)
        append(node)
        append(String(sequence))
        append(String(event.at.milliseconds))
        append(event.type.rawValue)
        append(event.outcome.rawValue)
        append(event.reason)
        append(event.subject?.rawValue)
        append(event.clientID?.rawValue)
        append(event.targetClientID?.rawValue)
        append(event.sessionID?.rawValue)
        append(event.tokenID?.rawValue)
        append(event.address)
        append(event.userAgent)
        append(event.requestID)
        append(event.detail)
        return Base64URL.encode(Array(SHA256.hash(data: bytes)))
    }
}
