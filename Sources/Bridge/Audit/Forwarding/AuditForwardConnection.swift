/// Opens connections to one receiver of audit events.
package protocol AuditForwardTransport: Sendable {
    func connect() async throws -> any AuditForwardConnection
}

/// What a receiver gets: what is part of a chain, and what its node has signed about it.
package enum AuditForwardItem: Hashable, Sendable {
    case entry(AuditEntry)
    case note(AuditNote)

    /// A line as an export has it.
    package var json: [UInt8] {
        switch self {
        case .entry(let entry): entry.json
        case .note(let note): note.json
        }
    }
}

/// One connection to a receiver, for as long as it lives.
package protocol AuditForwardConnection: Sendable {
    /// How long a delivery must have been followed by a living connection before it counts.
    ///
    /// Zero where the receiver answers. Plain syslog answers nothing: a receiver that dies with events still unread
    /// resets the connection, and what was delivered shortly before is then sent again.
    var settling: Duration { get }

    /// Hands items over, in order; they have left this machine when it returns.
    /// - Throws: when the connection is lost. Any number of the items may have arrived.
    func deliver(_ items: [AuditForwardItem]) async throws

    /// - Throws: when the connection is lost.
    func check() throws

    func close() async
}
