package import OAuth2

/// A signed statement "node N has written `size` events and the last one's hash is H".
///
/// The chain alone cannot show that its newest events were cut off; a checkpoint held elsewhere can.
package struct AuditCheckpoint: Hashable, Sendable {
    package let node: String
    /// The sequence of the last event it covers.
    package let size: Int64
    package let at: Timestamp
    /// The covered chain's last hash.
    package let hash: String
    /// The whole C2SP signed note: text, blank line, signature line.
    package let note: String

    package init(node: String, size: Int64, at: Timestamp, hash: String, note: String) {
        self.node = node
        self.size = size
        self.at = at
        self.hash = hash
        self.note = note
    }
}

extension AuditCheckpoint {
    /// A line of an export, told from an event's by its one member.
    package var json: [UInt8] {
        var inner = JSONObjectWriter()
        inner.add("node", node)
        inner.add("size", size)
        inner.add("at", at.rfc3339)
        inner.add("hash", hash)
        inner.add("note", note)
        var writer = JSONObjectWriter()
        writer.add("checkpoint", json: inner)
        return writer.finish()
    }

    /// Reads the object inside `checkpoint`.
    package init(json members: [String: JSONValue]) throws(AuditRecord.FieldError) {
        guard let size = members["size"]?.integer, AuditRecord.sequences.contains(size) else {
            throw .init(field: "size")
        }
        guard let at = Timestamp(rfc3339: try members.text("at")) else { throw .init(field: "at") }
        self.init(
            node: try members.text("node"), size: size, at: at, hash: try members.text("hash"),
            note: try members.text("note"))
        let known: Set = ["node", "size", "at", "hash", "note"]
        if let unknown = members.keys.filter({ !known.contains($0) }).min() { throw .init(field: unknown) }
    }
}

/// What a checkpoint's note says, line by line, in the manner of C2SP tlog-checkpoint: origin, size, hash, and one
/// extension line with the time.
///
/// The hash is the head of a hash chain, not the root of a Merkle tree: there are no inclusion proofs, an auditor
/// reads the whole chain.
struct AuditCheckpointText: Hashable, Sendable {
    let origin: String
    let size: Int64
    let hash: [UInt8]
    let at: Timestamp

    init(origin: String, size: Int64, hash: [UInt8], at: Timestamp) {
        self.origin = origin
        self.size = size
        self.hash = hash
        self.at = at
    }

    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[4].isEmpty, !lines[0].isEmpty,
            let size = Int64(lines[1]), AuditRecord.sequences.contains(size), String(size) == lines[1],
            let hash = Base64.decode(lines[2]), hash.count == 32,
            lines[3].hasPrefix(Self.timePrefix),
            let at = Timestamp(rfc3339: String(lines[3].dropFirst(Self.timePrefix.count)))
        else { return nil }
        self.init(origin: String(lines[0]), size: size, hash: hash, at: at)
        // One spelling only: what is signed is what we would write.
        guard description == text else { return nil }
    }

    var description: String { "\(origin)\n\(size)\n\(Base64.encode(hash))\n\(Self.timePrefix)\(at.rfc3339)\n" }

    static let timePrefix = "time "

    /// Names the chain: the key's name says whose log it is, the node which of its chains.
    static func origin(keyName: String, node: String) -> String { keyName + "/" + PercentEncoding.encode(node) }

    /// The node that an origin names: a key's name may hold slashes, an encoded node does not.
    static func node(ofOrigin origin: String) -> String? {
        guard let slash = origin.lastIndex(of: "/") else { return nil }
        return PercentEncoding.decode(String(origin[origin.index(after: slash)...]))
    }
}

extension AuditCheckpoint {
    /// Reads the signed note of a checkpoint against trusted keys.
    /// - Returns: what is wrong, `nil` when nothing is.
    package func problem(trusting keys: [AuditVerifierKey]) -> AuditProblemKind? {
        guard let note = SignedNote(note), let text = AuditCheckpointText(note.text),
            text.size == size, text.at == at, Base64URL.encode(text.hash).hasSameBytes(as: hash)
        else { return .checkpointMalformed }
        switch note.verdict(on: text.origin, of: node, trusting: keys) {
        case .signed: return nil
        case .badSignature: return .checkpointBadSignature
        case .foreignOrigin: return .checkpointMalformed
        case .unknownKey: return .checkpointUnknownKey
        }
    }
}
