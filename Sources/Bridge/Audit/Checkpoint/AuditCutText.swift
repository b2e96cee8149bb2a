import OAuth2

/// What a cut's note says, line by line: what it is, origin, last sequence that went, its hash, the retention in force
/// in seconds, the time, and `adopted` where the events were gone before.
///
/// The first line has spaces, which no origin has: no key's checkpoint can be taken for its cut, nor a cut for a
/// checkpoint.
struct AuditCutText: Hashable, Sendable {
    let origin: String
    let through: Int64
    let hash: [UInt8]
    let retention: Duration
    let isAdopted: Bool
    let at: Timestamp

    init(origin: String, through: Int64, hash: [UInt8], retention: Duration, isAdopted: Bool, at: Timestamp) {
        self.origin = origin
        self.through = through
        self.hash = hash
        self.retention = retention
        self.isAdopted = isAdopted
        self.at = at
    }

    init?(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", lines.count == 6 || (lines.count == 7 && lines[6] == Self.adopted),
            lines[0] == Self.kind, !lines[1].isEmpty, let through = Int64(lines[2]),
            AuditRecord.sequences.contains(through),
            let hash = Base64.decode(lines[3]), hash.count == 32, lines[4].hasPrefix(Self.retentionPrefix),
            let seconds = Int64(lines[4].dropFirst(Self.retentionPrefix.count)), seconds >= 0,
            lines[5].hasPrefix(Self.timePrefix),
            let at = Timestamp(rfc3339: String(lines[5].dropFirst(Self.timePrefix.count)))
        else { return nil }
        self.init(
            origin: String(lines[1]), through: through, hash: hash, retention: .seconds(seconds),
            isAdopted: lines.count == 7, at: at)
        // One spelling only: what is signed is what we would write.
        guard description == text else { return nil }
    }

    var description: String {
        """
        \(Self.kind)
        \(origin)
        \(through)
        \(Base64.encode(hash))
        \(Self.retentionPrefix)\(retention.components.seconds)
        \(Self.timePrefix)\(at.rfc3339)

        """ + (isAdopted ? "\(Self.adopted)\n" : "")
    }

    private static let kind = "drawbridge audit cut"
    private static let retentionPrefix = "retention "
    private static let timePrefix = "time "
    private static let adopted = "adopted"
}
