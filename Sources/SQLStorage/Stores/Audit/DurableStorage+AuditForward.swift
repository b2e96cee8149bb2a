package import Bridge

/// The statements about how far the audit log was forwarded.
private enum AuditForwardSQL {
    static let select: SQLStatement = """
        SELECT node, sequence, checkpoint_size, cut_through FROM audit_forward WHERE target = $1
        """

    /// What is noted never goes back; what is not a place of the chain, whose end is `$7`, was not noted by us.
    static let note: SQLStatement = """
        INSERT INTO audit_forward (target, node, sequence, checkpoint_size, cut_through, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (target, node) DO UPDATE SET
            sequence = CASE WHEN audit_forward.sequence BETWEEN excluded.sequence AND $7
                THEN audit_forward.sequence ELSE excluded.sequence END,
            checkpoint_size = CASE WHEN audit_forward.checkpoint_size BETWEEN excluded.checkpoint_size AND $7
                THEN audit_forward.checkpoint_size ELSE excluded.checkpoint_size END,
            cut_through = CASE WHEN audit_forward.cut_through BETWEEN excluded.cut_through AND $7
                THEN audit_forward.cut_through ELSE excluded.cut_through END,
            updated_at = excluded.updated_at
        """
}

extension DurableStorage: AuditForwardCursors {
    package func forwardedPositions(to target: String) async throws -> [String: AuditForwardPosition] {
        try await read { session in
            var positions: [String: AuditForwardPosition] = [:]
            for row in try session.run(AuditForwardSQL.select, [.text(target)]) {
                guard let node = AuditColumns.node(row.values[0]) else { continue }
                let end = try Self.head(of: node, session)?.sequence ?? 0
                func place(_ column: Int) -> Int64 {
                    guard case .integer(let number) = row.values[column], (0...end).contains(number) else { return 0 }
                    return number
                }
                positions[node] = AuditForwardPosition(
                    sequence: place(1), notes: AuditNotePosition(checkpoint: place(2), cut: place(3)))
            }
            return positions
        }
    }

    package func noteForwarded(
        to target: String, node: String, through position: AuditForwardPosition, at now: Timestamp
    ) async throws {
        try await writeUpkeep { transaction in
            let end = try AuditChainEnd.find(of: node) { try transaction.run($0, $1) }?.sequence ?? 0
            // Of a chain that was longer before the database was restored: what comes in that place now was not sent.
            guard max(position.sequence, position.notes.checkpoint, position.notes.cut) <= end else { return }
            _ = try transaction.run(
                AuditForwardSQL.note,
                [
                    .text(target), .text(node), .integer(position.sequence), .integer(position.notes.checkpoint),
                    .integer(position.notes.cut), SQLValue(now), .integer(end),
                ])
        }
    }
}
