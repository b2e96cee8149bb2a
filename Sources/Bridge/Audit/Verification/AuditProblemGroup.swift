package import OAuth2

extension AuditVerificationReport.Problem {
    /// What several problems have in common that one event, or one line, is enough for.
    package struct Group: Hashable, Sendable {
        private let node: String?
        private let kind: AuditProblemKind
        /// A beginning that is gone may be expected, after the key was replaced for instance; a gap is not.
        private let isBeginning: Bool

        fileprivate init(_ problem: AuditVerificationReport.Problem) {
            node = problem.node
            kind = problem.kind
            isBeginning = problem.kind == .missing && problem.sequence == 1
        }
    }

    /// As its chain grows, a contradiction of a node has another sequence at each look, and stays the same to people.
    package var group: Group { Group(self) }

    /// How many are named where all would be too much.
    package static let namedLimit = 20

    /// Bytes of a place: whoever writes rows can give a node a name without end.
    private static let placeLimit = 200

    /// ``whereabouts``, for what has little room.
    package var place: String { String(decoding: whereabouts.utf8.prefix(Self.placeLimit), as: UTF8.self) }
}

extension [AuditVerificationReport.Problem] {
    /// `main-4712 truncated`, for as many as are named: one of each group before a second of any, so that a thousand of
    /// one hide no other.
    package var names: [String] {
        var counts: [AuditVerificationReport.Problem.Group: Int] = [:]
        let ranked = enumerated().map { offset, problem in
            let rank = counts[problem.group, default: 0]
            counts[problem.group] = rank + 1
            return (rank: rank, offset: offset, problem: problem)
        }
        return ranked.sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.prefix(Element.namedLimit).map {
            "\($0.problem.place) \($0.problem.kind.rawValue)"
        }
    }
}

extension JSONObjectWriter {
    /// Adds what an event says about problems: how many there are, where the first is, and their names.
    /// - Parameter count: those that are not in the list included.
    package mutating func add(_ problems: [AuditVerificationReport.Problem], count: Int) {
        add("count", Int64(count))
        if let first = problems.first, first.id != nil { add("id", first.place) }
        add("problems", problems.names)
    }
}
