import OAuth2

/// What a verification of the audit log found.
package struct AuditVerificationReport: Hashable, Sendable {
    package struct Problem: Hashable, Sendable {
        package let node: String
        package let sequence: Int64
        package let kind: AuditProblemKind
        /// Of something unreadable, which part and which of its columns.
        package let field: String?

        /// The id of the event concerned, also where it is the absence of the event that is the problem.
        package var id: String { "\(node)-\(sequence)" }

        package init(node: String, sequence: Int64, kind: AuditProblemKind, field: String? = nil) {
            self.node = node
            self.sequence = sequence
            self.kind = kind
            self.field = field
        }
    }

    /// Events read.
    package private(set) var events = 0
    /// Checkpoints whose signature was good.
    package private(set) var checkpoints = 0
    /// Notes kept elsewhere that the log was compared with.
    package private(set) var kept = 0
    /// Where the log was cut, by statements that hold.
    package private(set) var cuts: [AuditCut] = []
    /// The first ``problemLimit``.
    package private(set) var problems: [Problem] = []
    /// All of them, those that are not listed included.
    package private(set) var problemCount = 0

    package static let problemLimit = 1000

    package init() {}

    package var isValid: Bool { problemCount == 0 }

    /// Contract §13; `problem_count` counts those beyond the list too.
    package var json: String {
        var writer = JSONObjectWriter()
        writer.add("valid", isValid)
        writer.add("events", Int64(events))
        writer.add("checkpoints", Int64(checkpoints))
        writer.add("problems", objects: problems.map(Self.object))
        writer.add("problem_count", Int64(problemCount))
        writer.add("cuts", objects: cuts.map(Self.object))
        writer.add("kept_notes", Int64(kept))
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    private static func object(_ problem: Problem) -> JSONObjectWriter {
        var item = JSONObjectWriter()
        item.add("node", problem.node)
        item.add("sequence", problem.sequence)
        item.add("id", problem.id)
        item.add("kind", problem.kind.rawValue)
        item.add("field", problem.field)
        return item
    }

    private static func object(_ cut: AuditCut) -> JSONObjectWriter {
        var item = JSONObjectWriter()
        item.add("node", cut.node)
        item.add("through", cut.through)
        item.add("at", cut.at.rfc3339)
        item.add("retention", cut.retention.components.seconds)
        item.add("adopted", cut.isAdopted)
        return item
    }

    mutating func countEvent() { events += 1 }

    mutating func countCheckpoint() { checkpoints += 1 }

    mutating func countKept() { kept += 1 }

    mutating func accept(_ cut: AuditCut) { cuts.append(cut) }

    mutating func add(_ kind: AuditProblemKind, node: String, sequence: Int64, field: String? = nil) {
        problemCount += 1
        if problems.count < Self.problemLimit {
            problems.append(Problem(node: node, sequence: sequence, kind: kind, field: field))
        }
    }

    mutating func add(_ damage: AuditDamage) {
        let kind: AuditProblemKind = damage.part == .cut && damage.field == "note" ? .cutMalformed : .unreadable
        let field = damage.part == .event ? damage.field : "\(damage.part.rawValue).\(damage.field)"
        add(kind, node: damage.node, sequence: damage.sequence, field: field)
    }
}
