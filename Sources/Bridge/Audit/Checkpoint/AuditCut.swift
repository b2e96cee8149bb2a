package import OAuth2

/// A signed statement "of node N everything up to the sequence S was removed, while so much had to stay".
///
/// A checkpoint says what the remaining events must follow; this says that somebody was allowed to cut there. Without
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
        return String(decoding: detail.finish(), as: UTF8.self)
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
    package init(json members: [String: JSONValue]) throws(AuditRecord.FieldProblem) {
        func text(_ name: String) throws(AuditRecord.FieldProblem) -> String {
            guard let text = members[name]?.string else { throw .init(field: name) }
            return text
        }
        guard let through = members["through"]?.integer, AuditRecord.sequences.contains(through) else {
            throw .init(field: "through")
        }
        guard let seconds = members["retention"]?.integer, seconds >= 0 else { throw .init(field: "retention") }
        guard let isAdopted = members["adopted"]?.bool else { throw .init(field: "adopted") }
        guard let at = Timestamp(rfc3339: try text("at")) else { throw .init(field: "at") }
        self.init(
            node: try text("node"), through: through, hash: try text("hash"), retention: .seconds(seconds),
            isAdopted: isAdopted, at: at, note: try text("note"))
        let known: Set = ["node", "through", "at", "hash", "retention", "adopted", "note"]
        if let unknown = members.keys.filter({ !known.contains($0) }).min() { throw .init(field: unknown) }
    }
}
