/// Gives the audit log's searches their index, part by part, after the events were written (ADR-0020).
package protocol AuditSealing: Sendable {
    /// Seals the next part of a chain that is due; see `docs/operations.md` for when that is.
    ///
    /// What another process, or a crash, left half done is done again; nothing that was sealed changes by it.
    /// - Parameter ofOthers: whether to look at the chains of all nodes, some of which may be gone, or at one's own.
    /// - Returns: whether there may be more to seal.
    /// - Throws: ``StorageError``; events are written and found as before then.
    func sealAudit(at now: Timestamp, ofOthers: Bool) async throws -> Bool
}
