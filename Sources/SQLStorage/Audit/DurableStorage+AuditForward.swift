package import Bridge

/// The statements about how far the audit log was forwarded.
private enum AuditForwardSQL {
    static let select: SQLStatement = "SELECT node, sequence FROM audit_forward WHERE target = $1"
    static let note: SQLStatement = """
        INSERT INTO audit_forward (target, node, sequence, updated_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (target, node) DO UPDATE SET sequence = excluded.sequence, updated_at = excluded.updated_at
        WHERE audit_forward.sequence < excluded.sequence
        """
}

extension DurableStorage: AuditForwardCursors {
    package func forwardedSequences(to target: String) async throws -> [String: Int64] {
        try await read { session in
            let rows = try session.run(AuditForwardSQL.select, [.text(target)])
            return Dictionary(try rows.map { (try $0.text(0), try $0.integer(1)) }) { max($0, $1) }
        }
    }

    package func noteForwarded(
        to target: String, node: String, through sequence: Int64, at now: Timestamp
    ) async throws {
        try await write { transaction in
            _ = try transaction.run(
                AuditForwardSQL.note, [.text(target), .text(node), .integer(sequence), SQLValue(now)])
        }
    }
}
