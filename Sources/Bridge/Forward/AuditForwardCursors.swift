/// How far the audit log has been forwarded, by target; kept in the database beside the log, which is the buffer.
package protocol AuditForwardCursors: Sendable {
    /// The last sequence of each node that a target has; empty for one that never got anything.
    func forwardedSequences(to target: String) async throws -> [String: Int64]

    /// Notes that a target has everything of a node's chain up to a sequence. What is noted never goes back.
    func noteForwarded(to target: String, node: String, through sequence: Int64, at now: Timestamp) async throws
}
