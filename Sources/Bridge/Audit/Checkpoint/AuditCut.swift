package import OAuth2

/// A signed statement "of node N everything up to the sequence S was removed, while so much had to stay".
///
/// A checkpoint says what the remaining events must follow; this says that cutting there was allowed. Without
/// it, or with one that reaches further than it allows itself, a missing beginning is a theft and reported as one.
package struct AuditCut: Hashable, Sendable {
    package let node: String
    /// The last sequence that went.
    package let through: Int64
    /// That event's ``AuditRecord/hash``, which the first remaining event names as its predecessor.
    package let hash: String
    /// How long events had to stay when it was made, in whole seconds.
    package let retention: Duration
    /// Whether the events were gone before it was made: what a version that signed no cuts had removed, or what an
    /// administrator accepted.
    package let isAdopted: Bool
    package let at: Timestamp
    /// The whole C2SP signed note: text, blank line, signature line.
    package let note: String

    package init(
        node: String, through: Int64, hash: String, retention: Duration, isAdopted: Bool, at: Timestamp, note: String
    ) {
        self.node = node
        self.through = through
        self.hash = hash
        self.retention = .seconds(retention.components.seconds)
        self.isAdopted = isAdopted
        self.at = at
        self.note = note
    }

    /// Tells people of the cut; what proves it is ``note``.
    package var event: AuditEvent { Self.event(node: node, through: through, isAdopted: isAdopted, at: at) }

    static func event(node: String, through: Int64, isAdopted: Bool, at now: Timestamp) -> AuditEvent {
        AuditEvent(
            at: now, type: .auditPurged, outcome: .success, reason: isAdopted ? "adopted" : "retention",
            detail: detail(node: node, through: through))
    }

    /// What the event of a cut says in ``AuditEvent/detail``; before cuts were signed it was all that there was.
    package static func detail(node: String, through: Int64) -> String {
        var detail = JSONObjectWriter()
        detail.add("node", node)
        detail.add("through", through)
        return detail.finishedText()
    }
}

extension AuditCut {
    /// A line of an export, told from an event's by its one member.
    package var json: [UInt8] {
        var inner = JSONObjectWriter()
        inner.add("node", node)
        inner.add("through", through)
        inner.add("at", at.rfc3339)
        inner.add("hash", hash)
        inner.add("retention", retention.components.seconds)
        inner.add("adopted", isAdopted)
        inner.add("note", note)
        var writer = JSONObjectWriter()
        writer.add("cut", json: inner)
        return writer.finish()
    }

    /// Reads the object inside `cut`.
    package init(json members: [String: JSONValue]) throws(AuditRecord.FieldError) {
        guard let through = members["through"]?.integer, AuditRecord.sequences.contains(through) else {
            throw .init(field: "through")
        }
        guard let seconds = members["retention"]?.integer, seconds >= 0 else { throw .init(field: "retention") }
        guard let isAdopted = members["adopted"]?.bool else { throw .init(field: "adopted") }
        guard let at = Timestamp(rfc3339: try members.text("at")) else { throw .init(field: "at") }
        self.init(
            node: try members.text("node"), through: through, hash: try members.text("hash"),
            retention: .seconds(seconds), isAdopted: isAdopted, at: at, note: try members.text("note"))
        let known: Set = ["node", "through", "at", "hash", "retention", "adopted", "note"]
        if let unknown = members.keys.filter({ !known.contains($0) }).min() { throw .init(field: unknown) }
    }
}

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
            lines[5].hasPrefix(AuditCheckpointText.timePrefix),
            let at = Timestamp(rfc3339: String(lines[5].dropFirst(AuditCheckpointText.timePrefix.count)))
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
        \(AuditCheckpointText.timePrefix)\(at.rfc3339)

        """ + (isAdopted ? "\(Self.adopted)\n" : "")
    }

    private static let kind = "drawbridge audit cut"
    private static let retentionPrefix = "retention "
    private static let adopted = "adopted"
}

extension AuditCut {
    /// Reads the signed note of a cut against trusted keys; whether it was allowed is another question.
    /// - Returns: what is wrong, `nil` when nothing is.
    package func problem(trusting keys: [AuditVerifierKey]) -> AuditProblemKind? {
        guard let note = SignedNote(note), let text = AuditCutText(note.text), text.through == through,
            text.retention == retention, text.isAdopted == isAdopted, text.at == at,
            Base64URL.encode(text.hash).hasSameBytes(as: hash)
        else { return .cutMalformed }
        switch note.verdict(on: text.origin, of: node, trusting: keys) {
        case .signed: return nil
        case .badSignature: return .cutBadSignature
        case .foreignOrigin: return .cutMalformed
        case .unknownKey: return .cutUnknownKey
        }
    }
}
