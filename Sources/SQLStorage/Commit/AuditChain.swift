import Bridge

/// Where a node's chain of audit events ends.
struct AuditChain: Hashable, Sendable {
    let node: String
    var sequence: Int64
    var hash: String
    /// How many events the last checkpoint covers.
    var checkpointedSize: Int64

    /// Gives an event its place after the last one.
    mutating func append(_ event: AuditEvent) -> AuditRecord {
        let record = AuditRecord(
            chaining: event.storable, node: node, sequence: sequence + 1, previousHash: hash)
        sequence = record.sequence
        hash = record.hash
        return record
    }
}

extension AuditEvent {
    /// Bytes that one text of an event may have: half of what a reader takes for one.
    private static let maximumText = AuditRecord.maximumTextLength / 2

    /// The event as it can be stored, read again and exported.
    ///
    /// Neither engine keeps U+0000, no calendar knows the year 10000, and what is hashed must be what is stored. Such
    /// things can come in with a subject or a made-up user agent, and must not keep an event from being written.
    fileprivate var storable: AuditEvent {
        let texts = [
            reason, subject?.rawValue, clientID?.rawValue, targetClientID?.rawValue, sessionID?.rawValue,
            tokenID?.rawValue, address, userAgent, requestID, detail,
        ]
        var event = self
        event.at = at.writable
        guard texts.contains(where: { $0.map(Self.needsChange) ?? false }) else { return event }
        event.reason = Self.storable(reason)
        event.subject = Self.storable(subject?.rawValue).map(Subject.init(rawValue:))
        event.clientID = Self.storable(clientID?.rawValue).map(ClientID.init(rawValue:))
        event.targetClientID = Self.storable(targetClientID?.rawValue).map(ClientID.init(rawValue:))
        event.sessionID = Self.storable(sessionID?.rawValue).map(SessionID.init(rawValue:))
        event.tokenID = Self.storable(tokenID?.rawValue).map(TokenID.init(rawValue:))
        event.address = Self.storable(address)
        event.userAgent = Self.storable(userAgent)
        event.requestID = Self.storable(requestID)
        event.detail = Self.storable(detail)
        return event
    }

    private static func needsChange(_ text: String) -> Bool {
        // In one piece: the view's own iterator costs several times that, for each of a dozen texts an event.
        let hasNull = text.utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? text.utf8.contains(0)
        return hasNull || text.utf8.count > maximumText
    }

    private static func storable(_ text: String?) -> String? {
        guard let text, needsChange(text) else { return text }
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            let scalar = scalar == "\0" ? "\u{FFFD}" : scalar
            length += scalar.utf8.count
            guard length <= maximumText else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
