import OAuth2

/// What a verification of the audit log found.
package struct AuditVerificationReport: Hashable, Sendable {
    package struct Problem: Hashable, Sendable {
        package let node: String
        package let sequence: Int64
        package let kind: AuditProblemKind

        /// The id of the event concerned, also where it is the absence of the event that is the problem.
        package var id: String { "\(node)-\(sequence)" }

        package init(node: String, sequence: Int64, kind: AuditProblemKind) {
            self.node = node
            self.sequence = sequence
            self.kind = kind
        }
    }

    /// Events read.
    package private(set) var events = 0
    /// Checkpoints whose signature was good.
    package private(set) var checkpoints = 0
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
        let items = problems.map { problem in
            var item = JSONObjectWriter()
            item.add("node", problem.node)
            item.add("sequence", problem.sequence)
            item.add("id", problem.id)
            item.add("kind", problem.kind.rawValue)
            return String(decoding: item.finish(), as: UTF8.self)
        }
        writer.add("problems", json: "[\(items.joined(separator: ","))]")
        writer.add("problem_count", Int64(problemCount))
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    mutating func countEvent() { events += 1 }

    mutating func countCheckpoint() { checkpoints += 1 }

    mutating func add(_ kind: AuditProblemKind, node: String, sequence: Int64) {
        problemCount += 1
        if problems.count < Self.problemLimit {
            problems.append(Problem(node: node, sequence: sequence, kind: kind))
        }
    }
}
