import OAuth2

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

    private static let timePrefix = "time "

    /// Names the chain: the key's name says whose log it is, the node which of its chains.
    static func origin(keyName: String, node: String) -> String { keyName + "/" + PercentEncoding.encode(node) }

    /// The node that an origin names: a key's name may hold slashes, an encoded node does not.
    static func node(ofOrigin origin: String) -> String? {
        guard let slash = origin.lastIndex(of: "/") else { return nil }
        return PercentEncoding.decode(String(origin[origin.index(after: slash)...]))
    }
}
