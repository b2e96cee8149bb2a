package import Bridge

extension DurableStorage: AuditRetention {
    /// Events that one cut takes, where checkpoints allow it: small enough that nobody waits long behind it.
    private static let cutSize: Int64 = 5000

    package func purgeAudit(before cutoff: Timestamp, at now: Timestamp) async throws -> Int {
        for head in try await chains() {
            let purged = try await write { transaction in
                try Self.purge(head, before: cutoff, at: now, in: transaction)
            }
            if purged > 0 { return purged }
        }
        return 0
    }

    private static func purge(
        _ head: AuditChainHead, before cutoff: Timestamp, at now: Timestamp, in transaction: WriteTransaction
    ) throws -> Int {
        let node = SQLValue.text(head.node)
        guard let first = try transaction.run(AuditRetentionSQL.first, [node]).first?.optionalInteger(0) else {
            return 0
        }
        // The chain's last event stays in any case: the next one is chained to it.
        let place = [node, .integer(first), .integer(head.sequence), SQLValue(cutoff)]
        let within = try transaction.run(AuditRetentionSQL.lastCheckpoint, place + [.integer(first + cutSize)])
        let found = try within.first ?? transaction.run(AuditRetentionSQL.firstCheckpoint, place).first
        guard let size = try found?.integer(0) else { return 0 }
        try transaction.run(AuditRetentionSQL.delete, [node, .integer(size)])
        try transaction.record(AuditCut(node: head.node, through: size).event(at: now))
        try renewStatements(at: now, in: transaction)
        return Int(size - first + 1)
    }

    /// A cut that took the statement about another node's last cut along says it anew.
    private static func renewStatements(at now: Timestamp, in transaction: WriteTransaction) throws {
        var node = try transaction.run(AuditSQL.firstNode).first?.optionalText(0)
        while let current = node {
            if let first = try transaction.run(AuditRetentionSQL.first, [.text(current)]).first?.optionalInteger(0),
                first > 1
            {
                let event = AuditCut(node: current, through: first - 1).event(at: now)
                let stated = try transaction.run(
                    AuditRetentionSQL.statement, [.text(event.type.rawValue), SQLValue(event.detail)])
                if stated.isEmpty { try transaction.record(event) }
            }
            node = try transaction.run(AuditSQL.nextNode, [.text(current)]).first?.optionalText(0)
        }
    }
}

/// The statements that cut the audit log.
private enum AuditRetentionSQL {
    static let first: SQLStatement = "SELECT min(sequence) FROM audit_event WHERE node = $1"

    static let firstCheckpoint: SQLStatement = """
        SELECT size FROM audit_checkpoint WHERE node = $1 AND size >= $2 AND size < $3 AND at < $4
        ORDER BY size LIMIT 1
        """
    static let lastCheckpoint: SQLStatement = """
        SELECT size FROM audit_checkpoint WHERE node = $1 AND size >= $2 AND size < $3 AND at < $4 AND size <= $5
        ORDER BY size DESC LIMIT 1
        """
    static let delete: SQLStatement = "DELETE FROM audit_event WHERE node = $1 AND sequence <= $2"

    static let statement = SQLStatement(
        "SELECT sequence FROM audit_event WHERE type = $1 AND \(AuditSQL.isRareType) AND detail = $2 LIMIT 1")
}
