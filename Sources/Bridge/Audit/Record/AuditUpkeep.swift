/// What keeps a long audit log small and quick, in the background: sealing, counting, thinning, cutting.
package protocol AuditUpkeep: Sendable {
    // Sealing (ADR-0020)

    /// Seals the next part of a chain that is due; see `docs/operations.md` for when that is.
    ///
    /// What another process, or a crash, left half done is done again; nothing that was sealed changes by it.
    /// - Parameter ofOthers: whether to look at the chains of all nodes, some of which may be gone, or at one's own.
    /// - Returns: whether there may be more to seal.
    /// - Throws: ``StorageError``; events are written and found as before then.
    func sealAudit(at now: Timestamp, ofOthers: Bool) async throws -> Bool

    // Counting by the minute

    /// Counts this node's events that were not counted yet, at most `limit` of them. So charts over ten million events
    /// read a few thousand rows, and the requests themselves pay nothing for it.
    /// - Returns: what was counted; empty when nothing was left.
    func advanceTally(limit: Int) async throws -> [AuditTally]

    /// The counts of every minute from `from` up to `to`, with the events that are not counted yet, added up by the
    /// bars of a chart; one bar may have several of a kind.
    /// - Parameter minutesPerBar: how wide a bar is, of which one begins with the first minute of 1970.
    func tallies(from: Timestamp, to: Timestamp, minutesPerBar: Int64) async throws -> [AuditTally]

    /// Notes a number; when several nodes note one for the same minute, the last counts.
    func record(_ sample: StateSample) async throws

    func samples(_ name: StateSample.Name, from: Timestamp, to: Timestamp) async throws -> [StateSample]

    /// Removes the oldest hour of counts and samples that is at or after `start` and before `cutoff`.
    /// - Returns: where to go on; `nil` when nothing is left. A caller that starts over reads through what is gone
    ///   again.
    func purgeTallies(from start: Timestamp, before cutoff: Timestamp) async throws -> Timestamp?

    // Thinning (ADR-0068)

    /// Looks at the next few old checkpoints of one chain, and removes those that a later one makes redundant: the last
    /// one of each hour and of each thousand events stays. One that is not signed by a trusted key, or that the log
    /// contradicts, stays in any case.
    /// - Parameter places: how far each node's chain has been looked at.
    /// - Returns: the same, further; unchanged when there was nothing old enough beyond.
    func thinCheckpoints(from places: [String: Int64], at now: Timestamp) async throws -> [String: Int64]

    // Cutting (ADR-0007)

    /// Cuts one node's chain at a checkpoint: everything that the checkpoint covers goes, in one transaction with the
    /// signed statement that it did and an ``AuditEventType/auditPurged`` event.
    ///
    /// A checkpoint is taken only when its signature is good and it was signed at least `retention` ago, so an event
    /// stays at least that long; and, so that a quiet chain is not cut at every checkpoint, up to an hour longer, or a
    /// 24th of `retention` where that is less. What goes is verified first, with all checkpoints in it: a chain that was
    /// tampered with is not cut, because the cut would remove what shows it.
    func purgeAudit(olderThan retention: Duration, at now: Timestamp) async throws -> AuditPurge

    /// Signs statements about beginnings that are gone already and that nothing signed covers.
    ///
    /// - Parameter retention: takes what a version that signed no cuts has removed: where an event says so, and a good
    ///   checkpoint shows that everything that went is at least this old. `nil` takes whatever is gone, which only an
    ///   administrator may decide.
    /// - Returns: what was signed.
    func adoptCuts(olderThan retention: Duration?, at now: Timestamp) async throws -> [AuditCut]
}

extension AuditUpkeep {
    /// The counts of every minute from `from` up to `to`, with the events that are not counted yet.
    package func tallies(from: Timestamp, to: Timestamp) async throws -> [AuditTally] {
        try await tallies(from: from, to: to, minutesPerBar: 1)
    }
}

/// What one call of ``AuditUpkeep/purgeAudit(olderThan:at:)`` did.
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
