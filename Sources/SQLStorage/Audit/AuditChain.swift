import Bridge

/// Where a node's chain of audit events ends.
struct AuditChain: Hashable, Sendable {
    let node: String
    var sequence: Int64
    var hash: String
    /// How many events the last checkpoint covers.
    var checkpointedSize: Int64

    /// Gives an event its place behind the last one.
    mutating func append(_ event: AuditEvent) -> AuditRecord {
        let record = AuditRecord(
            chaining: event.withoutNUL, node: node, sequence: sequence + 1, previousHash: hash)
        sequence = record.sequence
        hash = record.hash
        return record
    }
}

extension AuditEvent {
    /// The event as SQL text can hold it.
    ///
    /// Neither engine keeps U+0000, and what is hashed must be what is stored. It can come in with a subject or a user
    /// agent of somebody's making, and must not keep an event from being written.
    fileprivate var withoutNUL: AuditEvent {
        let texts = [
            reason, subject?.rawValue, clientID?.rawValue, targetClientID?.rawValue, sessionID?.rawValue,
            tokenID?.rawValue, address, userAgent, requestID, detail,
        ]
        guard texts.contains(where: { $0?.utf8.contains(0) ?? false }) else { return self }
        func clean(_ text: String?) -> String? {
            text.map { String($0.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }) }
        }
        var event = self
        event.reason = clean(reason)
        event.subject = clean(subject?.rawValue).map(Subject.init(rawValue:))
        event.clientID = clean(clientID?.rawValue).map(ClientID.init(rawValue:))
        event.targetClientID = clean(targetClientID?.rawValue).map(ClientID.init(rawValue:))
        event.sessionID = clean(sessionID?.rawValue).map(SessionID.init(rawValue:))
        event.tokenID = clean(tokenID?.rawValue).map(TokenID.init(rawValue:))
        event.address = clean(address)
        event.userAgent = clean(userAgent)
        event.requestID = clean(requestID)
        event.detail = clean(detail)
        return event
    }
}
