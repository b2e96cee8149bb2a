import OAuth2

/// What a verification of the audit log found.
package struct AuditVerificationReport: Hashable, Sendable {
    /// One fault in the log, and where it is (contract §13).
    package struct Problem: Hashable, Sendable {
        /// `nil` only of a line that does not say it.
        package let node: String?
        /// `nil` only of a line that does not say it.
        package let sequence: Int64?
        package let kind: AuditProblemKind
        /// For something unreadable: which part, and which of its columns.
        package let field: String?
        /// In an export or a file of kept notes, the line that cannot be read.
        package let line: Int?
        /// The file of kept notes that the line is in.
        package let file: String?

        /// The id of the event concerned, also where it is the absence of the event that is the problem.
        package var id: String? {
            guard let node, let sequence else { return nil }
            return AuditRecord.id(node: node, sequence: sequence)
        }

        /// For people: ``id``, or the line that does not say it.
        package var whereabouts: String { id ?? line.map { "line \($0)" } ?? "-" }

        package init(
            node: String?, sequence: Int64?, kind: AuditProblemKind, field: String? = nil, line: Int? = nil,
            file: String? = nil
        ) {
            self.node = node
            self.sequence = sequence
            self.kind = kind
            self.field = field
            self.line = line
            self.file = file
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
    /// The first of each node and kind of which none is among ``problems``, because they were full. Of nodes no more than
    /// ``problemLimit``, of kinds all.
    package private(set) var furtherKinds: [Problem] = []
    /// All of them, those that are not listed included.
    package private(set) var problemCount = 0
    private var kinds: Set<AuditProblemKind> = []
    private var groups: Set<Problem.Group> = []

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
        return writer.finishedText()
    }

    private static func object(_ problem: Problem) -> JSONObjectWriter {
        var item = JSONObjectWriter()
        // Contract §13 names these four for every problem, so what is not known is null.
        item.add("node", json: problem.node.map(JSONText.quoted) ?? "null")
        item.add("sequence", json: problem.sequence.map { String($0) } ?? "null")
        item.add("id", json: problem.id.map(JSONText.quoted) ?? "null")
        item.add("kind", problem.kind.rawValue)
        item.add("field", problem.field)
        item.add("line", json: problem.line.map { String($0) })
        item.add("file", problem.file)
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

    mutating func add(
        _ kind: AuditProblemKind, node: String?, sequence: Int64?, field: String? = nil, line: Int? = nil,
        file: String? = nil
    ) {
        problemCount += 1
        let isFirstOfKind = kinds.insert(kind).inserted
        // Whoever writes rows can give each of them another node.
        guard furtherKinds.count < Self.problemLimit || isFirstOfKind else { return }
        let problem = Problem(node: node, sequence: sequence, kind: kind, field: field, line: line, file: file)
        let isFirst = groups.insert(problem.group).inserted
        if problems.count < Self.problemLimit {
            problems.append(problem)
        } else if isFirst {
            furtherKinds.append(problem)
        }
    }

    mutating func add(_ damage: AuditDamage) {
        let kind: AuditProblemKind = damage.part == .cut && damage.field == "note" ? .cutMalformed : .unreadable
        add(
            kind, node: damage.node, sequence: damage.sequence, field: Self.name(of: damage.field, in: damage.part),
            line: damage.line)
    }

    /// Adds a line of an export that does not say which place of which chain it has.
    mutating func add(_ line: AuditExportReader.Problem) {
        let place = line.place
        add(
            .unreadable, node: place.node, sequence: place.sequence,
            field: line.field.map { Self.name(of: $0, in: place.part) }, line: line.line)
    }

    private static func name(of field: String, in part: AuditDamage.Part) -> String {
        part == .event ? field : "\(part.rawValue).\(field)"
    }
}
