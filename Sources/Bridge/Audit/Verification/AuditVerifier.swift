/// Verifies the chains of all nodes, event by event, in the order in which each node's events come.
///
/// Give it all notes first. Memory grows with nodes and notes, not with events.
package struct AuditVerifier: Sendable {
    private var report = AuditVerificationReport()
    private var chains: [String: AuditChainVerifier] = [:]
    /// How often the log says that the database was put back to an earlier state.
    private var restores = 0

    /// - Parameters:
    ///   - checkpoints: those of all nodes, as they were found.
    ///   - cuts: likewise.
    ///   - isNewerThanKept: whether the checkpoints were read after what was kept elsewhere, as a database's are; an
    ///     export may be older.
    package init(
        checkpoints: [AuditReading<AuditCheckpoint>] = [], cuts: [AuditReading<AuditCut>] = [],
        terms: AuditVerificationTerms, isNewerThanKept: Bool = false
    ) {
        var good = GoodCheckpoints()
        // A checkpoint kept in several places is one checkpoint, and one problem.
        var judged: Set<AuditCheckpoint> = []
        for reading in checkpoints {
            switch reading {
            case .damaged(let damage): report.add(damage)
            case .intact(let checkpoint):
                judged.insert(checkpoint)
                if good.take(checkpoint, trusting: terms.keys, report: &report) { report.countCheckpoint() }
            }
        }
        for damage in cuts.compactMap(\.damage) { report.add(damage) }
        var stated = cuts.compactMap(\.value)
        let notes = Set(stated.map(\.note))
        var kept: [String: [AuditCheckpoint]] = [:]
        for note in terms.kept {
            report.countKept()
            switch note {
            case .checkpoint(let checkpoint):
                guard judged.insert(checkpoint).inserted else { continue }
                guard good.take(checkpoint, trusting: terms.keys, report: &report) else { continue }
                kept[checkpoint.node, default: []].append(checkpoint)
            // The log's holder has the statement as well: it proves itself, wherever it is kept.
            case .cut(let cut): if !notes.contains(cut.note) { stated.append(cut) }
            }
        }
        // What the log was not compared with must not pass for what it extends.
        for lost in terms.unreadable {
            report.add(.unreadable, node: nil, sequence: nil, line: lost.line, file: lost.file)
        }
        var accepted: [String: [AuditCut]] = [:]
        for cut in stated {
            if let problem = good.problem(with: cut, terms) {
                report.add(problem, node: cut.node, sequence: cut.through)
            } else {
                report.accept(cut)
                accepted[cut.node, default: []].append(cut)
            }
        }
        let own = Dictionary(grouping: checkpoints) { $0.value?.node ?? $0.damage?.node ?? "" }
        for node in Set(good.byNode.keys).union(accepted.keys) {
            chains[node] = AuditChainVerifier(
                node: node, checkpoints: good.byNode[node].map { Array($0.values) } ?? [], cuts: accepted[node] ?? [],
                loss: kept[node].map {
                    AuditCheckpointLoss(own: own[node] ?? [], kept: $0, knowsEnd: isNewerThanKept)
                })
        }
    }

    package mutating func take(_ entry: AuditEntry) {
        let node = entry.node
        if let record = entry.value, record.event.type == .databaseRestored { restores += 1 }
        chains[node, default: AuditChainVerifier(node: node, checkpoints: [], cuts: [])].take(entry, report: &report)
    }

    /// Notes a row that is part of no chain.
    package mutating func take(stray damage: AuditDamage) { report.add(damage) }

    /// Takes what an exporter could not read of an event; where that is part of a chain, the chain goes on after it.
    package mutating func take(exported damage: AuditDamage) {
        if damage.part == .event, AuditRecord.sequences.contains(damage.sequence), damage.field != "node" {
            take(.damaged(damage))
        } else {
            take(stray: damage)
        }
    }

    /// Notes a line of an export that cannot be read; where it says which event of a chain it was to be, the chain
    /// goes on after it.
    package mutating func take(unreadable line: AuditExportReader.Problem) {
        if let damage = line.damage { take(exported: damage) } else { report.add(line) }
    }

    /// Ends the verification.
    /// - Parameter heads: where the store says that the chains end, as read before the events were.
    package consuming func finish(heads: [AuditChainHead] = []) -> AuditVerificationReport {
        let ends = Dictionary(heads.map { ($0.node, $0.sequence) }) { max($0, $1) }
        for node in Set(chains.keys).union(ends.keys).sorted() {
            let chain = chains[node] ?? AuditChainVerifier(node: node, checkpoints: [], cuts: [])
            chain.finish(head: ends[node], restores: restores, report: &report)
        }
        return report
    }
}

/// The checkpoints whose signature is good, by node and size.
private struct GoodCheckpoints {
    private(set) var byNode: [String: [Int64: AuditCheckpoint]] = [:]

    /// - Returns: whether it is good.
    mutating func take(
        _ checkpoint: AuditCheckpoint, trusting keys: [AuditVerifierKey], report: inout AuditVerificationReport
    ) -> Bool {
        if let problem = checkpoint.problem(trusting: keys) {
            report.add(problem, node: checkpoint.node, sequence: checkpoint.size)
            return false
        }
        guard let other = byNode[checkpoint.node]?[checkpoint.size], !other.hash.hasSameBytes(as: checkpoint.hash)
        else {
            byNode[checkpoint.node, default: [:]][checkpoint.size] = checkpoint
            return true
        }
        // The key has signed two histories; the log's own events cannot show it once they are removed.
        report.add(.checkpointMismatch, node: checkpoint.node, sequence: checkpoint.size)
        return true
    }

    /// - Returns: why a cut is not accepted; `nil` when it is.
    func problem(with cut: AuditCut, _ terms: AuditVerificationTerms) -> AuditProblemKind? {
        if let problem = cut.problem(trusting: terms.keys) { return problem }
        let least = terms.leastRetention ?? .zero
        guard let checkpoint = byNode[cut.node]?[cut.through] else {
            // What an administrator took over may have lost its checkpoint too; nothing says how old it was.
            return cut.isAdopted && cut.retention == .zero && least == .zero ? nil : .cutUnproved
        }
        guard checkpoint.hash.hasSameBytes(as: cut.hash) else { return .cutMismatch }
        guard checkpoint.at <= cut.at - cut.retention else { return .cutTooFar }
        // For what was gone before it was signed for, the retention then in force is unknown; how old it was is not.
        let isLongEnough = cut.isAdopted ? checkpoint.at <= cut.at - least : cut.retention >= least
        return isLongEnough ? nil : .retentionTooShort
    }
}

/// What an audit log is verified against.
package struct AuditVerificationTerms: Sendable {
    /// A line of a file of kept notes that should be a note and is none.
    package struct UnreadableLine: Sendable {
        let file: String
        let line: Int

        /// - Parameter line: from 1.
        package init(file: String, line: Int) {
            self.file = file
            self.line = line
        }
    }

    /// Those whose signatures count. Without any, no checkpoint and no cut can be good.
    package var keys: [AuditVerifierKey]
    /// Signed notes that were kept outside of the database: the log must extend each of them.
    package var kept: [AuditNote]
    /// What might have been further ones.
    package var unreadable: [UnreadableLine] = []
    /// The least retention that may have been in force when events were removed; `nil` asks nothing.
    package var leastRetention: Duration?

    package init(trusting keys: [AuditVerifierKey], kept: [AuditNote] = [], leastRetention: Duration? = nil) {
        self.keys = keys
        self.kept = kept
        self.leastRetention = leastRetention
    }
}
