/// Signs the state of a node's audit chain; the stores call it, a key holder implements it.
package protocol AuditCheckpointSigning: Sendable {
    /// - Parameters:
    ///   - node: whose chain.
    ///   - size: the sequence of the last event that is covered.
    ///   - hash: that event's ``AuditRecord/hash``.
    func sign(node: String, size: Int64, hash: String, at: Timestamp) throws -> AuditCheckpoint
}
