import Bridge
import Logging

/// Knows where this node's chain ends and when a checkpoint is due.
struct AuditChainWriter: Sendable {
    /// Events after which a checkpoint is signed at the latest (contract §8).
    static let checkpointInterval: Int64 = 1000

    let node: String
    let signer: any AuditCheckpointSigning
    let time: TimeSource
    let logger: Logger

    /// The chain's end as the database has it.
    func readChain(_ session: any SQLSession) throws -> AuditChain {
        let head = try session.run(AuditSQL.head, [.text(node)]).first
        let checkpoint = try session.run(AuditSQL.lastCheckpointSize, [.text(node)]).first
        return AuditChain(
            node: node, sequence: try head?.integer(0) ?? 0, hash: try head?.text(1) ?? AuditRecord.genesis,
            checkpointedSize: try checkpoint?.integer(0) ?? 0)
    }

    /// Signs a checkpoint when enough events came since the last one.
    func recordCheckpointIfDue(in transaction: WriteTransaction) throws {
        guard transaction.chain.sequence - transaction.chain.checkpointedSize >= Self.checkpointInterval else { return }
        try recordCheckpoint(in: transaction)
    }

    /// Signs a checkpoint when any event came since the last one.
    ///
    /// A signer that fails is logged and tried again with the next batch that is due: the events themselves are
    /// chained and durable, so refusing every sign-in for it would protect nothing.
    func recordCheckpoint(in transaction: WriteTransaction) throws {
        let chain = transaction.chain
        guard chain.sequence > chain.checkpointedSize else { return }
        let checkpoint: AuditCheckpoint
        do {
            checkpoint = try signer.sign(node: node, size: chain.sequence, hash: chain.hash, at: time.now())
        } catch {
            logger.error("audit checkpoint not signed", metadata: ["error": "\(error)"])
            return
        }
        try transaction.record(checkpoint)
    }
}
