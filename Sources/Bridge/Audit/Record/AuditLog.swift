/// Reading the audit log, and writing events that stand alone.
///
/// Events that belong to a change are written by that change's verb, in its transaction; see the stores.
package protocol AuditLog: Sendable {
    /// Appends events; they are durable when this returns.
    /// - Throws: ``StorageError``.
    func append(_ events: [AuditEvent]) async throws

    /// Events that match, newest first, and among them rows that match and cannot be read.
    ///
    /// Rows without a time that can be compared come first on the first page, at most a hundred of them.
    /// - Parameters:
    ///   - cursor: where the previous page ended; `nil` for the newest.
    ///   - limit: the most that the page has, cut to ``AuditPage/sizes``.
    func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) async throws -> AuditPage

    /// What is part of one node's chain with `sequence` in `range`, oldest first, for export and verification.
    func entries(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditEntry]

    /// Every node that has written, with its highest sequence among ``AuditRecord/sequences``.
    func chains() async throws -> [AuditChainHead]

    /// Rows that are part of no chain, because their node or their sequence is not valid.
    func strays(limit: Int) async throws -> [AuditDamage]

    /// Every checkpoint, by node and size.
    func checkpoints() async throws -> [AuditReading<AuditCheckpoint>]

    /// Every cut, by node and the last sequence that went.
    func cuts() async throws -> [AuditReading<AuditCut>]

    /// Notes about one node's chain after a position, by sequence; without what cannot be read.
    /// - Parameter limit: the most of each kind.
    func notes(of node: String, after position: AuditNotePosition, limit: Int) async throws -> [AuditNote]

    /// The hashes that events claim, by sequence; events that are missing, or have no readable one, are left out.
    func hashes(of node: String, at sequences: [Int64]) async throws -> [Int64: String]
}

/// How far a reader has a node's signed notes.
package struct AuditNotePosition: Hashable, Sendable {
    /// The size of the last checkpoint.
    package var checkpoint: Int64
    /// The last sequence of the last cut.
    package var cut: Int64

    package init(checkpoint: Int64 = 0, cut: Int64 = 0) {
        self.checkpoint = checkpoint
        self.cut = cut
    }

    /// Takes in that a note was read.
    package mutating func advance(to note: AuditNote) {
        switch note {
        case .checkpoint(let note): checkpoint = max(checkpoint, note.size)
        case .cut(let note): cut = max(cut, note.through)
        }
    }
}

/// The end of a node's chain.
package struct AuditChainHead: Hashable, Sendable {
    package let node: String
    package let sequence: Int64
    /// As the last event claims it; empty when that cannot be read.
    package let hash: String

    package init(node: String, sequence: Int64, hash: String) {
        self.node = node
        self.sequence = sequence
        self.hash = hash
    }
}

extension Sequence<AuditChainHead> {
    /// How many events the chains had, those included that retention removed. Rows may be anybody's, and so may sums.
    package var eventTotal: Int {
        reduce(0) { total, head in
            let (sum, isTooMuch) = total.addingReportingOverflow(Int(head.sequence))
            return isTooMuch ? .max : sum
        }
    }
}

/// A page of ``AuditLog/search(_:before:limit:)``.
package struct AuditPage: Sendable {
    /// How many entries one may have (contract §13).
    package static let sizes = 1...500

    package let entries: [AuditEntry]
    /// Where the next page begins; `nil` when there is none.
    package let next: AuditCursor?

    package init(entries: [AuditEntry], next: AuditCursor?) {
        self.entries = entries
        self.next = next
    }

    /// The entries without those that cannot be read.
    package var records: [AuditRecord] { entries.compactMap(\.value) }
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
    /// Events at this instant or after it.
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
    /// The address is in this network.
    package var network: NetworkPrefix?
    package var requestID: String?
    /// Looked for in subject, clients, type, reason, address, user agent and detail; case does not matter.
    package var text: String?

    package init(type: AuditEventType? = nil) { self.type = type }
}

extension AuditFilter {
    /// What ``ask(forAddress:)`` takes, for who gave it something else.
    package static let addressExpectation = "must be an address or a network such as 203.0.113.0/24"

    /// Asks for events from an address, or from anywhere in a network.
    /// - Returns: whether the text is either; if not, nothing is asked for.
    package mutating func ask(forAddress text: String) -> Bool {
        guard let network = NetworkPrefix(text) else { return false }
        if let single = network.singleAddress {
            address = single.description
        } else {
            self.network = network
        }
        return true
    }

    /// Whether an event is one that a search for this would find; as the stores compare.
    package func matches(_ event: AuditEvent) -> Bool {
        func equal<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
        guard from.map({ $0 <= event.at }) ?? true, to.map({ event.at < $0 }) ?? true, equal(type, event.type),
            equal(outcome, event.outcome), equal(reason, event.reason), equal(subject, event.subject),
            equal(sessionID, event.sessionID), equal(tokenID, event.tokenID), equal(address, event.address),
            equal(requestID, event.requestID)
        else { return false }
        if let clientID, event.clientID != clientID, event.targetClientID != clientID { return false }
        if let network {
            guard let address = event.address.flatMap({ NetworkAddress($0) }), network.contains(address) else {
                return false
            }
        }
        guard let text = text?.lowercasedForSearch else { return true }
        return [
            event.type.rawValue, event.subject?.rawValue, event.clientID?.rawValue, event.targetClientID?.rawValue,
            event.reason, event.address, event.userAgent, event.detail,
        ].contains { $0?.lowercasedForSearch.contains(text) ?? false }
    }
}
