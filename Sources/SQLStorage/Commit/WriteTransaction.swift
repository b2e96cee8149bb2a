package import Bridge

/// What a write may do inside the writer's transaction.
package final class WriteTransaction {
    private let session: any SQLSession
    private(set) var chain: AuditChain
    /// Sessions that the transaction ends.
    private var endedSessions: [SessionID] = []

    /// Ids in one piece of news: PostgreSQL takes 8000 bytes.
    private static let endsPerNotice = 64

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

    /// Chains an event behind the node's last one and stores it; what has ended goes to its client's webhook too.
    package func record(_ event: AuditEvent) throws {
        let record = chain.append(event)
        try session.submit(AuditSQL.insert, record.columns)
        try queueWebhook(for: event)
    }

    /// Lets every node know, once the transaction is committed, that a session has ended.
    package func announce(ended id: SessionID) { endedSessions.append(id) }

    /// Hands over what was announced; also what a write announced that was undone, which costs nodes a look-up.
    func sendAnnouncements(_ statement: SQLStatement) throws {
        for start in stride(from: 0, to: endedSessions.count, by: Self.endsPerNotice) {
            let part = endedSessions[start..<min(start + Self.endsPerNotice, endedSessions.count)]
            try session.submit(statement, [.text(part.map(\.rawValue).joined(separator: ","))])
        }
    }

    /// Stores a signed statement about the chain as it stands.
    func record(_ checkpoint: AuditCheckpoint) throws {
        try session.submit(AuditSQL.insertCheckpoint, checkpoint.columns)
        chain.checkpointedSize = checkpoint.size
    }

    /// Puts the chain back to where it was before a write that was undone.
    func rewind(to chain: AuditChain) { self.chain = chain }
}
