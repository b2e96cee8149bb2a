package import Bridge

/// What a write may do inside the writer's transaction.
package final class WriteTransaction {
    private let session: any SQLSession
    private(set) var chain: AuditChain

    init(session: any SQLSession, chain: AuditChain) {
        self.session = session
        self.chain = chain
    }

    @discardableResult
    package func run(_ statement: SQLStatement, _ arguments: [SQLValue] = []) throws -> [SQLRow] {
        try session.run(statement, arguments)
    }

    /// Whether the statement wrote any row.
    package func changes(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Bool {
        try session.change(statement, arguments) > 0
    }

    /// Chains an event behind the node's last one and stores it.
    package func record(_ event: AuditEvent) throws {
        let record = chain.append(event)
        _ = try session.run(AuditSQL.insert, record.columns)
    }

    /// Stores a signed statement about the chain as it stands.
    func record(_ checkpoint: AuditCheckpoint) throws {
        _ = try session.run(AuditSQL.insertCheckpoint, checkpoint.columns)
        chain.checkpointedSize = checkpoint.size
    }

    /// Puts the chain back to where it was before a write that was undone.
    func rewind(to chain: AuditChain) { self.chain = chain }
}
