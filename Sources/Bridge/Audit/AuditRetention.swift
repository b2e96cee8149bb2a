/// Removes the oldest part of the audit log, so that what remains still verifies (ADR-0007).
package protocol AuditRetention: Sendable {
    /// Cuts one node's chain at its first checkpoint that the cut can be made at: everything that the checkpoint covers
    /// goes, in one transaction with an ``AuditEventType/auditPurged`` event that says so.
    ///
    /// A checkpoint is taken only when it was signed before `cutoff`, so an event stays at least that long.
    /// - Returns: how many events went; 0 when there is nothing to cut.
    func purgeAudit(before cutoff: Timestamp, at now: Timestamp) async throws -> Int
}
