/// Checkpoints of one node that were kept outside of its database, that its events agree with, and that it has lost.
///
/// A few of them prove nothing: a database lacks one for each time that it was put back to a state between an event and
/// the checkpoint over it, and one more if it is such a state now. None do that thinning may have removed
/// (docs/audit-format.md, "Checkpoints that the database has lost").
struct AuditCheckpointLoss: Sendable {
    /// By the size of one that the database lacks, that of its own next one: what is between two of its own is judged
    /// together.
    private var gaps: [Int64: Int64] = [:]
    /// By the latter, the sizes of those that the events agree with.
    private var lost: [Int64: [Int64]] = [:]

    /// - Parameters:
    ///   - own: the node's, as its database or an export has them.
    ///   - kept: good ones of the node.
    ///   - knowsEnd: whether those that were kept after the last of its own would be among them.
    init(own: [AuditReading<AuditCheckpoint>], kept: [AuditCheckpoint], knowsEnd: Bool) {
        // A row that cannot be read is there, and a problem of its own.
        var rest = own.map { (size: $0.value?.size ?? $0.damage?.sequence ?? 0, checkpoint: $0.value) }
            .sorted { $0.size < $1.size }[...]
        for checkpoint in kept.sorted(by: { $0.size < $1.size }) {
            rest = rest.drop { $0.size < checkpoint.size }
            if let next = rest.first {
                guard next.size > checkpoint.size, let later = next.checkpoint,
                    !checkpoint.isSuperfluous(before: later)
                else { continue }
                gaps[checkpoint.size] = next.size
            } else if knowsEnd {
                gaps[checkpoint.size] = .max
            }
        }
    }

    /// Notes that the chain agrees with a checkpoint; in order of size.
    mutating func noteAgreement(with size: Int64) {
        if let gap = gaps[size] { lost[gap, default: []].append(size) }
    }

    /// The first one lost of each gap in which more are than can have an honest reason.
    /// - Parameter restores: how often the log says that the database was put back.
    func places(restores: Int) -> [Int64] {
        lost.values.filter { $0.count > restores + 1 }.compactMap(\.first).sorted()
    }
}
