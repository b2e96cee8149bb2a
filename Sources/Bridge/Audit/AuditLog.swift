/// Reading the audit log, and writing events that stand alone.
///
/// Events that belong to a change are written by that change's verb, in its transaction; see the stores.
package protocol AuditLog: Sendable {
    /// Appends events; they are durable when this returns.
    /// - Throws: ``StorageError``.
    func append(_ events: [AuditEvent]) async throws

    /// Events that match, newest first.
    /// - Parameters:
    ///   - cursor: where the previous page ended; `nil` for the newest.
    ///   - limit: 1…500.
    func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) async throws -> AuditPage

    /// Every record of one node with `sequence` in `range`, oldest first, for export and verification.
    func records(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditRecord]

    /// Every node that has written, with its highest sequence.
    func chains() async throws -> [AuditChainHead]

    /// Every checkpoint, by node and size.
    func checkpoints() async throws -> [AuditCheckpoint]
}

/// The end of a node's chain.
package struct AuditChainHead: Hashable, Sendable {
    package let node: String
    package let sequence: Int64
    package let hash: String

    package init(node: String, sequence: Int64, hash: String) {
        self.node = node
        self.sequence = sequence
        self.hash = hash
    }
}

/// A page of ``AuditLog/search(_:before:limit:)``.
package struct AuditPage: Sendable {
    package let records: [AuditRecord]
    /// Where the next page begins; `nil` when there is none.
    package let next: AuditCursor?

    package init(records: [AuditRecord], next: AuditCursor?) {
        self.records = records
        self.next = next
    }
}

/// A place in the newest-first order: by time, then node, then sequence. New events never move it.
package struct AuditCursor: Hashable, Sendable {
    package let at: Timestamp
    package let node: String
    package let sequence: Int64

    package init(at: Timestamp, node: String, sequence: Int64) {
        self.at = at
        self.node = node
        self.sequence = sequence
    }
}

/// What a search asks for; every member that is set must match.
package struct AuditFilter: Hashable, Sendable {
    /// At or after.
    package var from: Timestamp?
    /// Before.
    package var to: Timestamp?
    package var type: AuditEventType?
    package var outcome: AuditEvent.Outcome?
    package var reason: String?
    package var subject: Subject?
    /// The app or the website.
    package var clientID: ClientID?
    package var sessionID: SessionID?
    package var tokenID: TokenID?
    package var address: String?
    /// The address lies in this network.
    package var network: NetworkPrefix?
    package var requestID: String?
    /// Looked for in subject, clients, type, reason, address and user agent; case does not matter.
    package var text: String?

    package init(type: AuditEventType? = nil) { self.type = type }
}
