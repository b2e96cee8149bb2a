/// How far the audit log has been forwarded, by target; kept in the database beside the log, which is the buffer.
package protocol AuditForwardCursors: Sendable {
    /// How far a target has each node's chain; empty for one that never got anything.
    ///
    /// A position behind the chain's end is none: nothing that was written could have been sent so far.
    func forwardedPositions(to target: String) async throws -> [String: AuditForwardPosition]

    /// Notes that a target has everything of a node's chain up to a position. What is noted never goes back.
    func noteForwarded(
        to target: String, node: String, through position: AuditForwardPosition, at now: Timestamp
    ) async throws
}

/// How far somebody has a node's chain, and what was signed about it.
package struct AuditForwardPosition: Hashable, Sendable {
    /// Of the last event.
    package var sequence: Int64
    package var notes: AuditNotePosition

    package init(sequence: Int64 = 0, notes: AuditNotePosition = AuditNotePosition()) {
        self.sequence = sequence
        self.notes = notes
    }

    /// The farther one of each.
    package func joined(with other: AuditForwardPosition) -> AuditForwardPosition {
        AuditForwardPosition(
            sequence: max(sequence, other.sequence),
            notes: AuditNotePosition(
                checkpoint: max(notes.checkpoint, other.notes.checkpoint), cut: max(notes.cut, other.notes.cut)))
    }
}
