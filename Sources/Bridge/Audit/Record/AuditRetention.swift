/// Removes the oldest part of the audit log, so that what remains still verifies (ADR-0007).
package protocol AuditRetention: Sendable {
    /// Cuts one node's chain at a checkpoint: everything that the checkpoint covers goes, in one transaction with the
    /// signed statement that it did and an ``AuditEventType/auditPurged`` event.
    ///
    /// A checkpoint is taken only when its signature is good and it was signed at least `retention` ago, so an event
    /// stays at least that long. What goes is verified first: a chain that was tampered with is not cut, because the
    /// cut would remove what shows it.
    func purgeAudit(olderThan retention: Duration, at now: Timestamp) async throws -> AuditPurge

    /// Signs statements about beginnings that are gone already and that nothing signed covers.
    ///
    /// - Parameter retention: takes what a version that signed no cuts has removed: where an event says so, and a good
    ///   checkpoint shows that everything that went is at least this old. `nil` takes whatever is gone, which only an
    ///   administrator may decide.
    /// - Returns: what was signed.
    func adoptCuts(olderThan retention: Duration?, at now: Timestamp) async throws -> [AuditCut]
}

/// What one call of ``AuditRetention/purgeAudit(olderThan:at:)`` did.
package struct AuditPurge: Hashable, Sendable {
    /// Events that went; 0 when there is nothing to cut.
    package let removed: Int
    /// Why chains were not cut although they hold something that is old enough, one reason for each.
    package let refused: [AuditVerificationReport.Problem]

    package init(removed: Int, refused: [AuditVerificationReport.Problem]) {
        self.removed = removed
        self.refused = refused
    }
}
