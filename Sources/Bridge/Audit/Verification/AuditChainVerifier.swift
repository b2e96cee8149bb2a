/// Follows one node's chain from event to event, holding nothing but the last one and the notes ahead.
struct AuditChainVerifier: Sendable {
    private let node: String
    /// Those whose signature is good, by size.
    private let checkpoints: [AuditCheckpoint]
    /// Where the chain may begin: the hash of the last event that went, by its sequence.
    private let cuts: [Int64: String]
    /// `nil` where none of its checkpoints was kept elsewhere.
    private var loss: AuditCheckpointLoss?
    /// The first checkpoint that no event has reached.
    private var next = 0
    /// Sequence and claimed hash of the event that ends the chain so far; no hash where it cannot be read.
    private var last: (sequence: Int64, hash: String?)?

    /// - Parameters:
    ///   - checkpoints: this node's, verified, in any order.
    ///   - cuts: this node's that are accepted.
    ///   - loss: which of the checkpoints its database may have lost.
    init(node: String, checkpoints: [AuditCheckpoint], cuts: [AuditCut], loss: AuditCheckpointLoss? = nil) {
        self.node = node
        self.loss = loss
        self.checkpoints = checkpoints.sorted { $0.size < $1.size }
        self.cuts = Dictionary(cuts.map { ($0.through, $0.hash) }) { first, _ in first }
    }

    mutating func take(_ entry: AuditEntry, report: inout AuditVerificationReport) {
        switch entry {
        case .intact(let record):
            report.countEvent()
            if !record.isIntact { report.add(.edited, node: node, sequence: record.sequence) }
            guard advance(to: record.sequence, report: &report) else { return }
            checkLink(of: record, report: &report)
            last = (record.sequence, record.hash)
        case .damaged(let damage):
            report.add(damage)
            guard advance(to: damage.sequence, report: &report) else { return }
            checkPlace(of: damage.sequence, report: &report)
            last = (damage.sequence, damage.hash)
        }
        checkCheckpoints(report: &report)
    }

    /// Looks for a cut-off end, and for checkpoints that are lost.
    /// - Parameters:
    ///   - head: the sequence that the store says is the last one, when it says so.
    ///   - restores: how often the log says that the database was put back.
    func finish(head: Int64?, restores: Int, report: inout AuditVerificationReport) {
        for size in loss?.places(restores: restores) ?? [] {
            report.add(.checkpointMissing, node: node, sequence: size)
        }
        let end = last?.sequence ?? 0
        let lastCut = cuts.keys.max() ?? 0
        // A cut leaves the chain's last event: where nothing follows it, events are gone.
        let covered = max(checkpoints.last?.size ?? 0, lastCut > 0 ? lastCut + 1 : 0)
        if covered > end {
            report.add(.truncated, node: node, sequence: max(end, lastCut) + 1)
        } else if let head, head > end {
            report.add(.missing, node: node, sequence: end + 1)
        }
    }

    /// - Returns: `false` for what is not part of the chain: that goes on after the last event in order.
    private func advance(to sequence: Int64, report: inout AuditVerificationReport) -> Bool {
        guard let last, sequence <= last.sequence else { return true }
        report.add(sequence == last.sequence ? .duplicated : .outOfOrder, node: node, sequence: sequence)
        return false
    }

    private func checkLink(of record: AuditRecord, report: inout AuditVerificationReport) {
        guard record.sequence == expected else {
            // Only a beginning can be cut off: what comes before a gap was either never there or put there afterwards.
            if last == nil, let hash = cuts[record.sequence - 1], hash.hasSameBytes(as: record.previousHash) { return }
            report.add(.missing, node: node, sequence: expected)
            return
        }
        guard let predecessor = last.map(\.hash) ?? AuditRecord.genesis else { return }
        guard !record.previousHash.hasSameBytes(as: predecessor) else { return }
        report.add(.unlinked, node: node, sequence: record.sequence)
    }

    /// The place alone: an event that cannot be read names no predecessor.
    private func checkPlace(of sequence: Int64, report: inout AuditVerificationReport) {
        guard sequence != expected, last != nil || cuts[sequence - 1] == nil else { return }
        report.add(.missing, node: node, sequence: expected)
    }

    private var expected: Int64 { (last?.sequence ?? 0) + 1 }

    private mutating func checkCheckpoints(report: inout AuditVerificationReport) {
        guard let last else { return }
        while next < checkpoints.count, checkpoints[next].size <= last.sequence {
            let checkpoint = checkpoints[next]
            // One inside a gap has nothing to be compared with; the gap is reported, and so is an unreadable event.
            if checkpoint.size == last.sequence, let hash = last.hash {
                if checkpoint.hash.hasSameBytes(as: hash) {
                    loss?.noteAgreement(with: checkpoint.size)
                } else {
                    report.add(.checkpointMismatch, node: node, sequence: checkpoint.size)
                }
            }
            next += 1
        }
    }
}
