/// Verifies the chains of all nodes, event by event, in the order in which each node's events come.
///
/// Give it all checkpoints first. Memory grows with nodes and checkpoints, not with events.
package struct AuditVerifier: Sendable {
    private var report = AuditVerificationReport()
    private var chains: [String: AuditChainVerifier] = [:]
    /// Where each node's chain was cut on purpose.
    private var cuts: [String: Set<Int64>] = [:]

    /// - Parameters:
    ///   - checkpoints: of all nodes.
    ///   - keys: those whose signatures count. Without any, no checkpoint can be good.
    package init(checkpoints: [AuditCheckpoint], trusting keys: [AuditVerifierKey]) {
        var good: [String: [AuditCheckpoint]] = [:]
        for checkpoint in checkpoints {
            if let problem = checkpoint.problem(trusting: keys) {
                report.add(problem, node: checkpoint.node, sequence: checkpoint.size)
            } else {
                report.countCheckpoint()
                good[checkpoint.node, default: []].append(checkpoint)
            }
        }
        for (node, checkpoints) in good { chains[node] = AuditChainVerifier(node: node, checkpoints: checkpoints) }
    }

    package mutating func take(_ record: AuditRecord) {
        chains[record.node, default: AuditChainVerifier(node: record.node, checkpoints: [])]
            .take(record, report: &report)
        if let cut = AuditCut(record) { cuts[cut.node, default: []].insert(cut.through) }
    }

    /// Ends the verification.
    /// - Parameter heads: where the store says that the chains end, as read before the events were.
    package consuming func finish(heads: [AuditChainHead] = []) -> AuditVerificationReport {
        let ends = Dictionary(heads.map { ($0.node, $0.sequence) }) { max($0, $1) }
        for node in Set(chains.keys).union(ends.keys).sorted() {
            let chain = chains[node] ?? AuditChainVerifier(node: node, checkpoints: [])
            chain.finish(head: ends[node], cuts: cuts[node] ?? [], report: &report)
        }
        return report
    }
}
