/// Compares a log with signed notes that lie outside of its database, without reading the whole of it: whether each
/// checkpoint's event is there with the hash that was signed, and whether each chain begins where it may.
///
/// Verification finds more; this is quick enough for every start.
package struct AuditComparison: Sendable {
    private let log: any AuditLog
    private let keys: [AuditVerifierKey]

    package init(_ log: any AuditLog, trusting keys: [AuditVerifierKey]) {
        self.log = log
        self.keys = keys
    }

    /// What in the log contradicts the notes.
    package struct Findings: Sendable {
        /// For each chain, a beginning that is gone without a signed cut, and of each kind the first contradiction of a
        /// note that can be believed.
        package fileprivate(set) var proved: [AuditVerificationReport.Problem] = []
        /// Cuts that cannot be believed; and for each chain that no believed note contradicts, of each kind the first
        /// contradiction of a checkpoint that cannot be, and why it cannot.
        package fileprivate(set) var doubtful: [AuditVerificationReport.Problem] = []

        package var all: [AuditVerificationReport.Problem] { proved + doubtful }
    }

    /// All ``Findings``, what is proved before the rest.
    package func contradictions(with kept: [AuditNote]) async throws -> [AuditVerificationReport.Problem] {
        try await findings(with: kept).all
    }

    package func findings(with kept: [AuditNote]) async throws -> Findings {
        var found = Findings()
        var checkpoints: [String: [AuditCheckpoint]] = [:]
        var cuts: [AuditCut] = []
        for note in kept {
            switch note {
            // Thousands of signatures would take their time; that of one which contradicts is looked at.
            case .checkpoint(let checkpoint): checkpoints[checkpoint.node, default: []].append(checkpoint)
            case .cut(let cut):
                if let problem = cut.problem(trusting: keys) {
                    found.doubtful.append(.init(node: cut.node, sequence: cut.through, kind: problem))
                } else {
                    cuts.append(cut)
                }
            }
        }
        // Events first, then the statements about what is gone: what is cut meanwhile is stated.
        var hashes: [String: [Int64: String]] = [:]
        for (node, checkpoints) in checkpoints {
            hashes[node] = try await log.hashes(of: node, at: checkpoints.map(\.size))
        }
        let heads = try await log.chains()
        var firsts: [String: AuditEntry] = [:]
        for head in heads {
            firsts[head.node] = try await log.entries(of: head.node, in: 1...head.sequence, limit: 1).first
        }
        cuts += try await log.cuts().compactMap(\.value).filter { $0.problem(trusting: keys) == nil }
        let cutsByNode = Dictionary(grouping: cuts, by: \.node)
        let ends = Dictionary(heads.map { ($0.node, $0.sequence) }) { max($0, $1) }
        for node in Set(checkpoints.keys).union(firsts.keys).union(cutsByNode.keys).sorted() {
            let chain = Chain(
                node: node, first: firsts[node], end: ends[node] ?? 0, hashes: hashes[node] ?? [:],
                cuts: cutsByNode[node] ?? [], keys: keys)
            chain.compare(with: checkpoints[node] ?? [], into: &found)
        }
        return found
    }

    /// What is known of one node's chain.
    private struct Chain {
        let node: String
        let first: AuditEntry?
        let end: Int64
        let hashes: [Int64: String]
        let cuts: [AuditCut]
        let keys: [AuditVerifierKey]

        func compare(with checkpoints: [AuditCheckpoint], into found: inout Findings) {
            // What is gone at one end must not hide what is gone at the other: after the key was replaced, a beginning
            // that retention took seems to be gone too.
            let start = beginning
            if start > 1 { found.proved.append(problem(.missing, 1)) }
            var proved: [AuditVerificationReport.Problem] = []
            // A cut leaves the chain's last event.
            if let cut = cuts.map(\.through).max(), cut >= end { proved.append(problem(.truncated, end + 1)) }
            // By the key before the present one, for instance: it must not hide what a later note proves.
            var doubtful: [AuditVerificationReport.Problem] = []
            for checkpoint in checkpoints.sorted(by: { $0.size < $1.size }) where checkpoint.size >= start {
                guard let next = contradiction(with: checkpoint), !proved.contains(where: { $0.kind == next.kind })
                else { continue }
                guard let doubt = checkpoint.problem(trusting: keys) else {
                    proved.append(next)
                    continue
                }
                if !doubtful.contains(where: { $0.kind == next.kind }) {
                    doubtful += [next, problem(doubt, checkpoint.size)]
                }
            }
            found.proved += proved
            if proved.isEmpty { found.doubtful += doubtful }
        }

        /// The first sequence that must be there: the chain's own first where no cut that can be believed covers what
        /// was before it.
        private var beginning: Int64 {
            guard let first, first.sequence > 1, !cuts.contains(where: { begins($0, at: first) }) else { return 1 }
            return first.sequence
        }

        private func contradiction(with checkpoint: AuditCheckpoint) -> AuditVerificationReport.Problem? {
            if let hash = hashes[checkpoint.size] {
                return hash.hasSameBytes(as: checkpoint.hash) ? nil : problem(.checkpointMismatch, checkpoint.size)
            }
            let covering = cuts.filter { $0.through >= checkpoint.size }
            if covering.isEmpty {
                return checkpoint.size > end ? problem(.truncated, end + 1) : problem(.missing, checkpoint.size)
            }
            let isOther = covering.contains {
                $0.through == checkpoint.size && !$0.hash.hasSameBytes(as: checkpoint.hash)
            }
            return isOther ? problem(.checkpointMismatch, checkpoint.size) : nil
        }

        private func begins(_ cut: AuditCut, at first: AuditEntry) -> Bool {
            guard cut.through == first.sequence - 1 else { return false }
            return first.value.map { $0.previousHash.hasSameBytes(as: cut.hash) } ?? true
        }

        private func problem(_ kind: AuditProblemKind, _ sequence: Int64) -> AuditVerificationReport.Problem {
            .init(node: node, sequence: sequence, kind: kind)
        }
    }
}
