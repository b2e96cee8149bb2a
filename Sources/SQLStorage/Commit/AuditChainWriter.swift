import Bridge
import Logging
import OAuth2

/// Knows where this node's chain ends and when a checkpoint is due.
struct AuditChainWriter: Sendable {
    /// Events after which a checkpoint is signed at the latest (contract §8).
    static let checkpointInterval: Int64 = 1000

    let node: String
    let signer: any AuditNoteSigning
    /// Gets every note once it is durable.
    var outlet: any AuditNoteOutlet = NoAuditNoteOutlet()
    let time: TimeSource
    let logger: Logger
    /// The right to continue the chain; `nil` where no other process could.
    var lease: NodeLease?

    /// The chain's end as the database has it.
    ///
    /// Rows of no chain do not count, nor checkpoints of what is not there: whatever was put into the tables, the next
    /// event has a free place, and the next checkpoint comes.
    func readChain(_ session: any SQLSession) throws -> AuditChain {
        let end = try AuditChainEnd.find(of: node, session.run)
        let sequence = end?.sequence ?? 0
        let checkpoint = try session.run(AuditSQL.lastCheckpointSize, [.text(node), .integer(sequence)]).first
        return AuditChain(
            node: node, sequence: sequence, hash: end.flatMap { Self.hash($0.hash) } ?? AuditRecord.genesis,
            checkpointedSize: try checkpoint?.integer(0) ?? 0)
    }

    /// What cannot be a hash cannot be followed; verification shows the break.
    private static func hash(_ value: SQLValue) -> String? {
        guard case .text(let text) = value, Base64URL.decode(text)?.count == 32 else { return nil }
        return text
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
