/// Follows one node's chain from event to event, holding nothing but the last one and the checkpoints ahead.
struct AuditChainVerifier: Sendable {
    private let node: String
    /// Those whose signature is good, by size.
    private let checkpoints: [AuditCheckpoint]
    /// The first checkpoint that no event has reached.
    private var next = 0
    /// Sequence and claimed hash of the event that ends the chain so far.
    private var last: (sequence: Int64, hash: String)?
    /// The last sequence that was cut off in front, where a checkpoint says what the rest must follow.
    private var cut: Int64?

    /// - Parameter checkpoints: this node's, verified, in any order.
    init(node: String, checkpoints: [AuditCheckpoint]) {
        self.node = node
        self.checkpoints = checkpoints.sorted { $0.size < $1.size }
    }

    mutating func take(_ record: AuditRecord, report: inout AuditVerificationReport) {
        report.countEvent()
        if !record.isIntact { report.add(.edited, node: node, sequence: record.sequence) }
        if let last, record.sequence <= last.sequence {
            // It is not part of the chain: the chain goes on behind the last event in order.
            let kind: AuditProblemKind = record.sequence == last.sequence ? .duplicated : .outOfOrder
            report.add(kind, node: node, sequence: record.sequence)
            return
        }
        checkLink(of: record, report: &report)
        last = (record.sequence, record.hash)
        checkCheckpoints(at: record, report: &report)
    }

    /// Looks for a cut-off end, and for a cut-off begin that nobody answers for.
    /// - Parameters:
    ///   - head: the sequence that the store says is the last one, when it says so.
    ///   - cuts: where this chain was cut, by the log's own statements.
    func finish(head: Int64?, cuts: Set<Int64>, report: inout AuditVerificationReport) {
        if let cut, !cuts.contains(cut) {
            report.add(.missing, node: node, sequence: (cuts.filter { $0 < cut }.max() ?? 0) + 1)
        }
        let end = last?.sequence ?? 0
        let isCutOff = checkpoints.last.map { $0.size > end } ?? false
        if isCutOff {
            report.add(.truncated, node: node, sequence: end + 1)
        } else if let head, head > end {
            report.add(.missing, node: node, sequence: end + 1)
        }
    }

    private mutating func checkLink(of record: AuditRecord, report: inout AuditVerificationReport) {
        let expected = (last?.sequence ?? 0) + 1
        guard record.sequence == expected else {
            if last == nil, isCutCovered(before: record) {
                cut = record.sequence - 1
            } else {
                report.add(.missing, node: node, sequence: expected)
            }
            return
        }
        if record.previousHash != last?.hash ?? AuditRecord.genesis {
            report.add(.unlinked, node: node, sequence: record.sequence)
        }
    }

    // Old events may be purged up to a checkpoint: it says in their stead what the first remaining one must follow.
    private func isCutCovered(before record: AuditRecord) -> Bool {
        checkpoints.contains { $0.size == record.sequence - 1 && $0.hash == record.previousHash }
    }

    private mutating func checkCheckpoints(at record: AuditRecord, report: inout AuditVerificationReport) {
        while next < checkpoints.count, checkpoints[next].size <= record.sequence {
            let checkpoint = checkpoints[next]
            // One inside a gap has nothing to be compared with; the gap is reported.
            if checkpoint.size == record.sequence, checkpoint.hash != record.hash {
                report.add(.checkpointMismatch, node: node, sequence: checkpoint.size)
            }
            next += 1
        }
    }
}
